"""Take the pictures of the page on the browser: ``python docs/screenshots.py``.

It needs Chromium and the extra ``dev``. Fonts are those of the machine, so nothing compares the pictures.
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from pictures import MIDDLE
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from basilica_env.files import replacing

FOLDER = Path(__file__).parent / "pictures"
COLOURS = 256
"""In a picture's palette, which keeps it small."""

PLAYERS = ({"kind": "person", "name": "Ann"}, {"kind": "person", "name": "Ben"})


@contextmanager
def served() -> Iterator[str]:
    """Serve from an empty folder, and say where."""
    with tempfile.TemporaryDirectory() as games:
        command = [sys.executable, "-m", "basilica_env.cli", "serve", "--port", "0", "--games", games]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            found = re.search(r"http://[\d.:]+", server.stdout.readline())
            assert found is not None, "the server tells its address"
            yield found[0]
            server.send_signal(signal.SIGINT)


def game(browser: Browser, address: str) -> Page:
    """Show a game with a hint on a desktop."""
    page = browser.new_page(base_url=address, viewport={"width": 1360, "height": 860})
    begun = page.request.post("/api/games", data={"players": PLAYERS, "position": MIDDLE}).json()
    page.goto(f"/#/game/{begun['id']}")
    page.get_by_role("button", name="Hint").click()
    page.wait_for_selector("table.moves")
    page.mouse.move(0, 0)
    return page


def phone(browser: Browser, address: str) -> Page:
    """Show the choice of a rank on a phone, dark."""
    page = browser.new_page(
        base_url=address, viewport={"width": 390, "height": 844}, color_scheme="dark", device_scale_factor=1.5
    )
    promoting = MIDDLE.replace("1:3 main", "0:2 promote:3")
    begun = page.request.post("/api/games", data={"players": PLAYERS, "position": promoting}).json()
    page.goto(f"/#/game/{begun['id']}")
    page.locator('[data-place="a3"]').click()
    page.wait_for_selector(".chooser")
    return page


def main() -> None:
    """Take the pictures."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    flags = ["--no-sandbox", "--disable-gpu", "--no-proxy-server"]
    with served() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        for show in (game, phone):
            picture = Image.open(BytesIO(show(browser, address).screenshot()))
            with replacing(FOLDER / f"page-{show.__name__}.png") as draft:
                picture.convert("RGB").quantize(COLOURS).save(draft, "PNG", optimize=True)
        browser.close()


if __name__ == "__main__":
    main()
