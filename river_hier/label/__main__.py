"""Label texts in a browser, while a model learns: `python -m river_hier.label texts.csv`."""

import sys

try:
    from .desk import main
except ModuleNotFoundError as _error:
    _help = "use WSL, as the desk locks files in the way of Linux and macOS"
    _help = _help if _error.name == "fcntl" else "pip install 'river-hier[serving]'"
    sys.exit(f"{_error}: {_help}")

if __name__ == "__main__":
    main()
