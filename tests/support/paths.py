"""Where the project and the data of the tests lie."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
DOCS = ROOT / "docs"
EXAMPLES = ROOT / "examples"
# The folder of real data; tests skip where it is absent.
DATA = Path(os.environ.get("RIVER_HIER_DATA", ROOT.parent / "shared" / "data"))
