"""Files for their owner alone: made so whatever the umask is, and what is there keeps its mode, with one warning."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from paywright_runtime import private_files
from paywright_runtime.private_files import hold_private, new_file, open_private, replace_file, warn_of_others
from tests.support.umask import UMASKS, mode_of, umask

WRITERS: dict[str, Callable[[Path], object]] = {
    "new_file": lambda file: new_file(file).close(),
    "hold_private": hold_private,
    "open_private": lambda file: open_private(file).close(),
    "replace_file": lambda file: replace_file(file, b"x"),
}


@pytest.mark.parametrize("given", UMASKS, ids=oct)
@pytest.mark.parametrize("writer", WRITERS)
def test_a_new_file_is_its_owners_alone(writer: str, given: int, tmp_path: Path) -> None:
    with umask(given):
        WRITERS[writer](tmp_path / "file")
    assert mode_of(tmp_path / "file") == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    file = tmp_path / "shop\x1b.db"
    file.write_bytes(b"old")
    file.chmod(0o664)
    return file


@pytest.mark.parametrize("writer", ["hold_private", "open_private"])
def test_a_file_keeps_its_mode_and_is_warned_of(writer: str, wide: Path, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(3):
        WRITERS[writer](wide)
    assert mode_of(wide) == 0o664
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("paywright.files", "WARNING")
    assert "shop\\u{1b}.db has personal data, and other users of this machine can use it (mode 664)" in record.message


def test_a_new_file_never_takes_the_place_of_another(wide: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for file in (wide, tmp_path / "link"):
        with pytest.raises(FileExistsError):
            new_file(file)
    assert wide.read_bytes() == b"old"


def test_a_file_that_is_replaced_is_a_new_one(wide: Path) -> None:
    replace_file(wide, b"newer")
    assert (wide.read_bytes(), mode_of(wide)) == (b"newer", 0o600)


def test_a_file_that_cannot_be_replaced_stays_and_nothing_is_left(wide: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        replace_file(wide, b"new")
    assert [file.read_bytes() for file in wide.parent.iterdir()] == [b"old"]


def test_without_modes_no_word(wide: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(private_files, "_HAS_MODES", False)
    warn_of_others(wide)
    warn_of_others(wide.parent / "nowhere")
    assert caplog.records == []


def test_a_pipe_and_what_is_not_there_are_not_warned_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    os.mkfifo(tmp_path / "pipe", 0o666)
    with caplog.at_level(logging.WARNING):
        for file in (tmp_path / "pipe", tmp_path / "nowhere", Path(os.devnull)):
            warn_of_others(file)
    assert caplog.records == []


def test_an_error_names_the_file_that_was_to_be_replaced(tmp_path: Path) -> None:
    for file in (tmp_path / "absent" / "seen.jsonl", tmp_path):
        with pytest.raises(OSError) as refused:
            replace_file(file, b"x")
        assert (refused.value.filename, refused.value.filename2) == (str(file), None)
