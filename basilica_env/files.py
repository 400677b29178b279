"""Files that are written as a whole or left as they were."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_DRAFT = ".draft"


def named(path: str | os.PathLike[str]) -> Path:
    """Return a path that the system can be asked for.

    Raises
    ------
    OSError
        If no file can have this name.
    """
    name = os.fspath(path)
    try:
        if "\0" in name:
            raise ValueError("a NUL character in it")
        os.fsencode(name)
    except ValueError as error:
        raise OSError(errno.EINVAL, f"not the name of a file: {error}", name) from None
    return Path(name)


def regular_file(path: str | os.PathLike[str]) -> Path:
    """Return the regular file that a path leads to, there or not yet there; links are followed.

    Raises
    ------
    OSError
        If no file can be written there: it is a folder, a pipe, a device or write-protected, its folder is
        missing or read-only, or the name cannot be one of a file.
    """
    name = os.fspath(named(path))
    file = Path(os.path.realpath(name))
    kind = _kind(name)
    if kind is None:
        _check_folder(name, file.parent)
    elif stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, "it is a folder", name)
    elif not stat.S_ISREG(kind):
        raise OSError(errno.EINVAL, "it is not a regular file", name)
    elif not os.access(file, os.W_OK):
        raise PermissionError(errno.EACCES, "it is write-protected", name)
    return file


def replaceable(path: str | os.PathLike[str]) -> Path:
    """Return the file that :func:`replacing` would write.

    Raises
    ------
    OSError
        As for :func:`regular_file`, and also if only the folder is read-only.
    """
    file = regular_file(path)
    _check_folder(os.fspath(path), file.parent)
    return file


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary name in the same folder; what is written there becomes `path` if all goes well.

    A file that is replaced hands on its permissions.

    Raises
    ------
    OSError
        As for :func:`replaceable`, before anything is written. One of the writing that names no file, as on
        a full disk, is given the name of this one.
    """
    file = replaceable(path)
    draft = file.with_name(f".{secrets.token_hex(8)}{_DRAFT}")
    try:
        yield draft
        if file.exists():
            draft.chmod(stat.S_IMODE(file.stat().st_mode))
        draft.replace(file)
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror, str(file)) from error
    finally:
        draft.unlink(missing_ok=True)


def remove_drafts(folder: Path) -> None:
    """Remove what processes that were killed have left in a folder in which nobody writes now."""
    for draft in folder.glob(f".*{_DRAFT}"):
        draft.unlink(missing_ok=True)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text in UTF-8, the whole file or nothing.

    Raises
    ------
    OSError
        If it cannot be written; a file of this name is as it was.
    """
    with replacing(path) as draft:
        draft.write_text(text, encoding="utf-8", newline="\n")


def lock(file: IO[bytes]) -> None:
    """Keep other processes from a file until it is closed; the system frees it when this one ends.

    Raises
    ------
    OSError
        If another process keeps it.
    """
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _kind(name: str) -> int | None:
    """Return the mode of what a path leads to; None if nothing is there."""
    try:
        return Path(name).stat().st_mode
    except FileNotFoundError:
        return None


def _check_folder(name: str, folder: Path) -> None:
    shown = Path(name).parent
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {shown}", name)
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, f"the folder {shown} is read-only", name)
