"""What is refused: changes of a small contract, and what is said of them, in which line.

`docs/contract.md` lists `UNSAID`, and of each kind the first of `MISTYPED`, with the linter's own words.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.codegen.helpers.contract_texts import SHOP, changed, problem_line

Edits = tuple[tuple[str, str], ...]

_NO_SPACES = str.maketrans("", "", " \n")
_TINY = Path(__file__).parents[1] / "tiny"


class Refusal(NamedTuple):
    """Edits of a file, and how what is said of it begins. The problem stands in the first line that changes, or in that which begins with `at`."""

    file: str
    edits: Edits
    says: str
    at: str = ""

    def written(self, into: Path) -> tuple[Path, str]:
        """A folder with the contract, edited, and the place of the problem."""
        folder = into / ("spec" if self.file == "shop" else "tiny")
        folder.mkdir()
        texts = _texts(folder.name)
        edited = changed(*self.edits, text=texts[self.file])
        for name, text in (texts | {self.file: edited}).items():
            (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
        return folder, f"{folder.name}/{self.file}.yaml:{problem_line(texts[self.file], edited, self.at)}"


@cache
def _texts(name: str) -> dict[str, str]:
    if name == "spec":
        return {"shop": SHOP}
    return {path.stem: path.read_text(encoding="utf-8") for path in _TINY.glob("*.yaml")}


def changed_line(row: Refusal) -> str:
    """What a change writes anew, as one line of a document; a tab, other spaces and the indentation, where it matters, are named."""
    ((old, new),) = row.edits
    if old.translate(_NO_SPACES) == new.translate(_NO_SPACES):
        more = len(new) - len(old)
        what = "empty line below" if new.startswith(old) else f"{abs(more)} spaces"
        return f"{new.strip()} ({'+' if more > 0 else '-'} {what})"
    lines = [line.strip(" ") for line in new.split("\n") if line.strip(" ") and line not in old.split("\n")]
    return (" / ".join(lines) or f"(without {old.strip()})").replace("\t", "[Tab]").replace("\u00a0", "[U+00A0]")


_PERSON, _GUARDED = "    name!: string max 64 pii", "    rules:\n      note-of-old"


def line(text: str) -> tuple[str, str]:
    """The line of the type Person."""
    return _PERSON, f"    {text}"


def field(text: str) -> tuple[str, str]:
    """A further field in the type Person."""
    return _PERSON, f"{_PERSON}\n    {text}"


def guard(text: str) -> tuple[str, str]:
    """A guard of `goods.buy`."""
    return _GUARDED, f"    before sending:\n      {text}\n{_GUARDED}"


def _refusals(section: str) -> dict[str, Refusal]:
    return {name: _refusal(**row) for name, row in _ROWS[section].items()}


def _refusal(says: str, at: str = "", **edits: Any) -> Refusal:
    ((kind, given),) = edits.items()
    if kind in _ONE_LINE:
        return Refusal("shop", (_ONE_LINE[kind](given),), says, at)
    return Refusal(kind, tuple((old, new) for old, new in given), says, at)


_ONE_LINE = {"line": line, "field": field, "guard": guard}
_TEXT = Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")
_ROWS: dict[str, dict[str, dict[str, Any]]] = yaml.load(_TEXT, Loader=yaml.CSafeLoader)
MISTYPED, UNSAID, MEANINGLESS = map(_refusals, ("mistyped", "unsaid", "meaningless"))
