"""Play the golden games anew: ``python -m tests.golden [--write]``."""

from __future__ import annotations

import argparse
import sys

from basilica_env.files import write_text
from tests.engines import Compiled, Reference
from tests.golden import GOLDEN, playthrough


def main() -> int:
    """Compare the games with their files, and rewrite the files if asked to."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument("--write", action="store_true", help="rewrite the files")
    write = parser.parse_args().write
    changed = 0
    for golden in GOLDEN:
        text = playthrough(golden, Compiled)
        if text != playthrough(golden, Reference):
            print(f"{golden.name}: the engines disagree; nothing is written", file=sys.stderr)
            return 1
        if golden.path.exists() and golden.path.read_text(encoding="utf-8") == text:
            continue
        changed += 1
        print(f"{golden.name}: {'written' if write else 'would change'}")
        if write:
            write_text(golden.path, text)
    return 1 if changed and not write else 0


if __name__ == "__main__":
    sys.exit(main())
