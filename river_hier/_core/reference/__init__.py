"""The reference backend, in numpy, written for readability."""
