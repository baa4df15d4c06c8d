"""What failed is run again alone, and only then: `make test` must still fail for what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.again import MOST, run_again


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "test_it.py").write_text(
        "from pathlib import Path\n"
        "def test_wrong(): assert False\n"
        "def test_right(): pass\n"
        "def test_second_time():\n"
        "    seen = Path('seen'); there = seen.exists(); seen.touch(); assert there\n"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def cache(folder: Path, *names: str) -> Path:
    path = folder / "lastfailed"
    path.write_text(json.dumps({f"test_it.py{name}": True for name in names}))
    return path


def test_what_passes_alone_is_named_and_stops_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "seen").touch()
    assert run_again(1, cache(folder, "::test_second_time", "::test_right")) == 0
    said = capsys.readouterr().out
    assert "UNSTEADY" in said
    assert "  test_it.py::test_second_time" in said


def test_what_fails_alone_fails(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_again(1, cache(folder, "::test_wrong", "::test_right")) == 1
    assert run_again(1, cache(folder, "::test_second_time")) == 1
    assert "UNSTEADY" not in capsys.readouterr().out


@pytest.mark.parametrize("status", [2, 3, 4, 5])
def test_a_run_that_broke_off_is_not_mended(folder: Path, status: int) -> None:
    assert run_again(status, cache(folder, "::test_right")) == status


def test_many_failures_are_no_accident(folder: Path) -> None:
    names = [f"::test_right[{number}]" for number in range(MOST + 1)]
    assert run_again(1, cache(folder, *names)) == 1


def test_a_file_that_cannot_be_collected_fails(folder: Path) -> None:
    assert run_again(1, cache(folder, "")) == 1


def test_without_a_list_of_failures_the_run_failed(folder: Path) -> None:
    assert run_again(1, folder / "missing") == 1
