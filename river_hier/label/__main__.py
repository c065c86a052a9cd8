"""Label texts in a browser, while a model learns: `python -m river_hier.label texts.csv`."""

import sys

try:
    from .desk import main
except ModuleNotFoundError as _error:
    sys.exit(f"{_error}: pip install 'river-hier[serving]'")

if __name__ == "__main__":
    main()
