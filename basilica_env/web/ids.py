"""Names of games and replays that nobody can guess: whoever knows one has a right to it."""

from __future__ import annotations

import re
import secrets

_BYTES = 16
PATTERN = "^[A-Za-z0-9_-]{22}$"
"""What they look like."""


def new_id() -> str:
    """Draw one."""
    return secrets.token_urlsafe(_BYTES)


def is_id(text: str) -> bool:
    """Return whether a text looks like one."""
    return re.fullmatch(PATTERN, text, re.ASCII) is not None
