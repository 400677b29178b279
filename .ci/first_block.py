"""Print the first code block under a second-level heading of a Markdown file."""

from __future__ import annotations

import re
import sys
from pathlib import Path


def first_block(markdown: str, heading: str) -> str:
    section = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", markdown, re.MULTILINE | re.DOTALL)
    if section is None:
        raise SystemExit(f"no heading '## {heading}'")
    block = re.search(r"^```\w*\n(.*?)^```$", section[1], re.MULTILINE | re.DOTALL)
    if block is None:
        raise SystemExit(f"no code block under '## {heading}'")
    return block[1]


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit("usage: first_block.py FILE HEADING")
    sys.stdout.write(first_block(Path(sys.argv[1]).read_text(encoding="utf-8"), sys.argv[2]))
