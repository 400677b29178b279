"""Files are written as a whole or not at all, and nothing but a regular file is ever replaced."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from basilica_env.arena.folder import MatchFolder
from basilica_env.benchmarks.report import fill
from basilica_env.cli import main
from basilica_env.files import replaceable, replacing, write_text
from basilica_env.game import GameState
from basilica_env.records import GameRecord, Recorder, append_record, write_records
from basilica_env.render.page import write_page
from basilica_env.training.endgames import write_endgames
from basilica_env.training.fit_value import Settings, write

posix = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no such files")


def record() -> GameRecord:
    recorder = Recorder(GameState.new(seed=7))
    recorder.play(recorder.state.legal_moves()[0])
    return recorder.record()


def summary(path: Path) -> None:
    """Let `path` be the summary of a match."""
    folder = path.parent / "match"
    folder.mkdir(exist_ok=True)
    (folder / "match.json").symlink_to(path.absolute())
    match = MatchFolder(folder)
    try:
        match.write_summary({})
    finally:
        match.close()


def weights(path: Path) -> None:
    write(path, np.zeros(3, np.float32), Settings(), [])


def append(path: Path) -> None:
    append_record(path, record())


def records(path: Path) -> None:
    write_records(path, [record()])


WRITERS: dict[str, Callable[[Path], Any]] = {
    "text": lambda path: write_text(path, "new"),
    "records": records,
    "appended record": append,
    "page": lambda path: write_page(path, record()),
    "summary": summary,
    "endgames": lambda path: write_endgames(path, []),
    "weights": weights,
}


@posix
@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS)
def test_a_pipe_stays_a_pipe(writer: Callable[[Path], Any], tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="it is not a regular file"):
        writer(pipe)
    assert pipe.is_fifo()


@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS)
def test_a_folder_stays_a_folder(writer: Callable[[Path], Any], tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(IsADirectoryError, match="it is a folder"):
        writer(folder)
    assert list(folder.iterdir()) == []
    assert not list(tmp_path.glob(".*"))


@posix
@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS)
@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_a_link_and_its_file_is_written(
    writer: Callable[[Path], Any], there: bool, tmp_path: Path
) -> None:
    (tmp_path / "far").mkdir()
    file = tmp_path / "far" / "file"
    if there:
        file.write_text("")
        file.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to(Path("far", "file"))
    writer(link)
    assert link.is_symlink()
    assert file.stat().st_size > 0
    assert not there or stat.S_IMODE(file.stat().st_mode) == 0o640
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("a\0b", "not the name of a file: a NUL character"),
        ("n" * 300, "too long"),
        ("no/file", "no folder no"),
    ],
)
def test_names_that_no_file_can_have(
    name: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for write_file in (lambda path: write_text(path, ""), records, append):
        with pytest.raises(OSError, match=reason):
            write_file(Path(name))
    assert list(tmp_path.iterdir()) == []


def test_the_longest_name_can_be_written(tmp_path: Path) -> None:
    file = tmp_path / ("n" * 255)
    write_text(file, "text")
    assert file.read_text() == "text"


@posix
def test_links_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(OSError, match="symbolic link"):
        replaceable(tmp_path / "a")


def test_a_write_protected_file_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The permission is taken away by hand, because some who run the tests may write everything."""
    file = tmp_path / "file"
    file.write_text("old")
    monkeypatch.setattr(os, "access", lambda path, _: Path(path) != file)
    with pytest.raises(PermissionError, match="it is write-protected"):
        write_text(file, "new")
    assert file.read_text() == "old"


def test_a_failure_leaves_the_file_and_no_draft(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("old")
    for error in (ValueError, KeyboardInterrupt):
        with suppress(error), replacing(file) as draft:
            draft.write_text("half")
            raise error
        assert file.read_text() == "old"
        assert list(tmp_path.iterdir()) == [file]


def test_a_full_disk_is_told_with_the_name_of_the_file(tmp_path: Path) -> None:
    """The system names none when a file that is open cannot be written to."""
    with pytest.raises(OSError, match="No space left") as caught, replacing(tmp_path / "mine"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert caught.value.filename == str(tmp_path / "mine")
    with pytest.raises(FileNotFoundError) as missing, replacing(tmp_path / "mine"):
        (tmp_path / "other").read_bytes()
    assert missing.value.filename == str(tmp_path / "other")


def test_drafts_of_the_same_file_do_not_meet(tmp_path: Path) -> None:
    with replacing(tmp_path / "file") as one, replacing(tmp_path / "file") as other:
        one.write_text("one")
        other.write_text("other")
    assert (tmp_path / "file").read_text() == "one"


@posix
def test_the_command_replaces_no_special_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    assert main(["demo", "--moves-only", "--out", "pipe"]) == 1
    shown = capsys.readouterr()
    assert shown.err == "basilica demo: cannot write pipe: it is not a regular file\n"
    assert shown.out == ""
    page = Path("page.md")
    page.write_text("<!-- generated: b -->\n<!-- end -->")
    Path("link.md").symlink_to(page)
    fill(Path("link.md"), "b", "text")
    assert Path("link.md").is_symlink()
    assert "text" in page.read_text()
