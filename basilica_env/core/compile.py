"""How the core is compiled: one decorator, and one cache directory for each state of the sources.

Numba keeps compiled code on disk but does not notice a change in a called function that lives in
another file. So the cache directory is named after a digest of all sources of the core: an edit or
an upgrade finds an empty directory and compiles afresh.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba import types

_F = TypeVar("_F", bound=Callable[..., Any])

CACHE_VARIABLE = "BASILICA_CACHE"
"""Environment variable: ``0`` switches the cache of compiled code off."""


def source_digest() -> str:
    """Return a digest of every source file of the core."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _bases() -> list[Path]:
    """Return the places to try for the cache, best first."""
    if numba.config.CACHE_DIR:
        return [Path(numba.config.CACHE_DIR)]
    bases = [Path(__file__).parent / "__pycache__"]
    if os.environ.get("XDG_CACHE_HOME"):
        bases.append(Path(os.environ["XDG_CACHE_HOME"]))
    else:
        with contextlib.suppress(RuntimeError):  # no home directory
            bases.append(Path.home() / ".cache")
    return bases


def _writable(directory: Path) -> bool:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=directory).close()
    except OSError:
        return False
    return True


def _find_cache() -> Path | None:
    """Return the cache directory for these sources, or None where nothing can be written."""
    if os.environ.get(CACHE_VARIABLE) == "0":
        return None
    for base in _bases():
        directory = base / "basilica_env" / source_digest()
        if _writable(directory):
            return directory
    warnings.warn(
        "basilica_env found no directory that it can write compiled code to, so every process compiles "
        "afresh; set NUMBA_CACHE_DIR to a writable directory",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


CACHE = _find_cache()
"""Directory of the compiled code, or None where nothing is kept."""


def clear_cache() -> list[Path]:
    """Remove the compiled code of all earlier and present sources; return the directories removed."""
    if CACHE is None:
        return []
    directories = sorted(path for path in CACHE.parent.iterdir() if path.is_dir())
    for directory in directories:
        shutil.rmtree(directory, ignore_errors=True)
    return directories


_OPTIONS = {"nogil": True, "error_model": "numpy"}


def part(function: _F) -> _F:
    """Compile a function that is called by one kernel only; the code on disk has it as a part of that."""
    return _for_all_constants(numba.njit(**_OPTIONS)(function))


def kernel(function: _F) -> _F:
    """Compile a function of the core on its first call, without the GIL, and keep the code on disk."""
    if CACHE is None:
        return part(function)
    # The locator reads this setting when a function is decorated; other packages keep theirs.
    user_setting, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(CACHE)
    try:
        return _for_all_constants(numba.njit(cache=True, **_OPTIONS)(function))
    finally:
        numba.config.CACHE_DIR = user_setting


def _for_all_constants(dispatcher: Any) -> Any:
    """Keep numba from compiling a kernel once more for each constant that another kernel gives it.

    So a kernel has one signature, which saves time and keeps the cache sound: two processes that
    compile two signatures of a function at once may file one's code under the other.
    """
    call_template = dispatcher.get_call_template

    def get_call_template(args: Any, kws: Any) -> Any:
        widened = [types.unliteral(arg) for arg in args]
        return call_template(widened, {name: types.unliteral(arg) for name, arg in kws.items()})

    dispatcher.get_call_template = get_call_template
    return dispatcher
