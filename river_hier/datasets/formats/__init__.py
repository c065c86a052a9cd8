"""Readers of file formats.

Each yields the records of a file, and reports a broken record to an `ErrorHandler` before it
continues with the next one.

"""
