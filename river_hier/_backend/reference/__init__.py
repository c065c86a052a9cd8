"""The reference backend, in numpy: written to be read."""
