"""Public corpora, one class a file."""
