"""Files that are either written as a whole or left as they were."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary name in the same folder that becomes `path` if all goes well."""
    target = Path(path)
    draft = target.with_name(f".{target.name}.{os.getpid()}.draft")
    try:
        yield draft
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
