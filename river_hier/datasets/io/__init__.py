"""Finding, downloading and opening the files of a corpus."""
