"""An HTTP service around any model, which learns: `python -m river_hier.serve model.pkl`."""
