"""Draws `desk.png`: the page of `python -m river_hier.label`, after some answers, in Chromium.

python docs/pictures/desk.py [CHROMIUM]
"""

import csv
import itertools
import re
import subprocess
import sys
import tempfile
from pathlib import Path

GOODS = {
    "clothes/shirts": ["silk shirt", "linen shirt", "checked shirt"],
    "clothes/hats": ["wool hat", "straw hat", "sun hat"],
    "shoes/boots": ["leather boots", "rubber boots", "walking boots"],
    "shoes/sandals": ["leather sandals", "beach sandals", "sandals with a buckle"],
    "garden/rakes": ["rake", "leaf rake", "rake with a long handle"],
}
KINDS = ["red", "white", "warm", "light", "children's", "large"]
ASKED = "warm leather boots for the garden"


def main() -> None:
    from playwright.sync_api import sync_playwright  # of the extra `docs`

    rows = [(f"{k} {x}", v) for v, xs in GOODS.items() for x, k in itertools.product(xs, KINDS)]
    chromium = sys.argv[1] if len(sys.argv) > 1 else "/usr/bin/chromium"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "titles.csv"
        with file.open("w", newline="") as table:
            csv.writer(table).writerows([("text", "label"), *rows, (ASKED, "")])
        command = [sys.executable, "-m", "river_hier.label", str(file), "--port", "0"]
        with (
            subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as desk,
            sync_playwright() as playwright,
        ):
            assert desk.stdout is not None
            found = re.search(r"http://\S+", desk.stdout.readline())
            assert found is not None
            chrome = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = chrome.new_page(viewport={"width": 900, "height": 430}, color_scheme="light")
            page.goto(found[0])
            page.get_by_text(ASKED).wait_for()
            page.locator("#tree button").first.wait_for()
            page.screenshot(path=Path(__file__).with_suffix(".png"))
            chrome.close()
            desk.terminate()


if __name__ == "__main__":
    main()
