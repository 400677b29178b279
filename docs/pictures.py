"""Draw the pictures of the page on pictures.

``python docs/pictures.py`` writes them; with ``--check`` it only says whether they are up to date.
"""

from __future__ import annotations

import sys
from pathlib import Path

from basilica_env.files import write_text
from basilica_env.game import GameState
from basilica_env.render import draw_svg

FOLDER = Path(__file__).parent / "pictures"
SIZE = 720

MIDDLE = (
    "G0,G1,Y9+1,RB2*+1M,B6*+0M/G2*+1S,Y0,G6,#,Y7+0/RB0+0,R3+1S,Y5,.,YB0+1A/#,BG0,#,#,#/YG1,.,#,R6,#/.,.,YB2,#,RY0"
    "/.,.,R2+0A,RB1,B2 R5,BG2,B1 YG2,G3,RY2 B9,YB1,R1,B7,B4,RG1,R0,Y8,B5,B3,RG0,G8,BG1 "
    "R7,R8,Y1,RG2,RY1,Y3,R9,Y2,G5,G4,Y6,G9,B8,G7,YG0,B0,R4,Y4 19 9:7 2:0 1:3 main 1"
)
NAMES = ("mcts", "greedy")


def pictures() -> dict[str, str]:
    """Return each picture by the name of its file."""
    middle = GameState.from_text(MIDDLE)
    return {
        "opening.svg": draw_svg(GameState.new(seed=7), legal=True, size=SIZE) + "\n",
        "middle.svg": draw_svg(middle, last_move="c7=A", names=NAMES, size=SIZE) + "\n",
        "areas.svg": draw_svg(middle, dark=True, areas=True, names=NAMES, size=SIZE) + "\n",
    }


def main() -> int:
    """Write the pictures, or check them."""
    stale = [
        name
        for name, svg in pictures().items()
        if not (FOLDER / name).is_file() or (FOLDER / name).read_text(encoding="utf-8") != svg
    ]
    if sys.argv[1:] == ["--check"]:
        for name in stale:
            print(f"{name} is out of date: run python docs/pictures.py")
        return int(bool(stale))
    FOLDER.mkdir(exist_ok=True)
    for name in stale:
        write_text(FOLDER / name, pictures()[name])
    return 0


if __name__ == "__main__":
    sys.exit(main())
