"""Every clause of the rules has a test named after it."""

from __future__ import annotations

import re
from pathlib import Path

CLAUSES = {1: 5, 2: 2, 3: 2, 4: 6, 5: 2, 6: 9, 7: 2, 8: 6, 9: 1}
"""How many clauses each section of the rules has."""


def test_every_clause_has_a_test() -> None:
    source = "".join(file.read_text(encoding="utf-8") for file in Path(__file__).parent.glob("test_r*.py"))
    tested = set(re.findall(r"^def test_r(\d)_(\d)_", source, re.MULTILINE))
    assert tested == {(str(section), str(n + 1)) for section, count in CLAUSES.items() for n in range(count)}
