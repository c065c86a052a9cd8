"""A desk to label texts at, in a browser: `python -m river_hier.label texts.csv`."""
