"""`make docs`: what it writes, what it removes, and what `make check-docs` finds."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from docs import build


@pytest.fixture
def reference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for the reference, of which the only page is `a.md`, as "# A"."""
    folder = tmp_path / "docs" / "reference"
    folder.mkdir(parents=True)
    monkeypatch.setattr(build, "TOP", tmp_path)
    monkeypatch.setattr(build, "REFERENCE", folder)
    monkeypatch.setattr(build, "derived", lambda: {folder / "a.md": '# A\n\n<a id="x"></a>[b](#x)\n'})
    return folder


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["docs.build", *arguments])
    return build.main()


def test_a_page_is_written_once_and_one_of_nothing_is_removed(
    reference: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (reference / "gone.md").write_text("# Gone\n")
    assert run(monkeypatch, "--check") == 1
    said = capsys.readouterr().err
    assert "docs/reference/a.md is stale" in said
    assert "docs/reference/gone.md is of no part" in said
    assert run(monkeypatch) == 0
    assert [path.name for path in reference.iterdir()] == ["a.md"]
    assert run(monkeypatch, "--check") == 0


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[x](b.md)", "link to b.md"),
        ("[x](a.md#y)", "link to a.md#y"),
        ("`paywright zebra`", "`paywright zebra --help`"),
        ("```sh\nmake zebra\n```", "`make zebra`"),
    ],
)
def test_what_is_not_there_is_found(
    reference: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str, what: str
) -> None:
    (reference.parents[1] / "Makefile").write_text("docs:\n")
    (reference.parent / "guide.md").write_text(f"# Guide\n\n{text}\n")
    assert run(monkeypatch) == 1
    assert f"docs/guide.md: there is no {what}" in (said := capsys.readouterr().err)
    assert "docs/guide.md: it does not open with **You need**" in said
    (reference.parent / "guide.md").write_text("# Guide\n\n**You need** time. **Takes** long.\n" + "word " * 1_500)
    assert run(monkeypatch) == 1
    assert "docs/guide.md: 1,506 words are more than 1,500" in capsys.readouterr().err


@pytest.mark.slow
def test_no_page_of_the_reference_is_taken_for_one_written_by_hand() -> None:
    made = {path for path in build.derived() if build.REFERENCE in path.parents}
    assert made == set(build.REFERENCE.rglob("*.md"))
