"""Write the documents that follow from the contract and the source, and check the others.

`make docs` writes; `--check` (part of `make check`) only compares. Written: the reference (`docs/reference/`), the index of errors, the
reference of the contract's language, every code block under a comment such as `<!-- examples/paid_django.py -->`, which is that
module as it is, and the advice for a situation between `<!-- advice place_again -->` and `<!-- end -->`. Checked: links between files, to headings and to anchors, targets of `make`,
commands of `paywright`, length and opening of guides.
"""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from docs.building.errors_page import errors_page
from docs.building.final_states import final_states
from docs.building.python_api import api_pages
from docs.building.running import run_examples
from docs.building.situations import situations
from paywright_cli.main import build_parser
from paywright_codegen.reader.loader import load, read_documents
from paywright_codegen.reference.language import Material, reference
from paywright_codegen.reference.pages import reference_pages
from paywright_codegen.reference.tables import slug
from paywright_runtime.error_text import ADVICE

if TYPE_CHECKING:
    from tests.codegen.helpers.refusals import Refusal

TOP = Path(__file__).resolve().parents[1]
REFERENCE = TOP / "docs" / "reference"

_LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_ANCHOR = re.compile(r'<a id="([^"]+)"></a>')
_FILE = re.compile(r"(<!-- ([\w/]+[.]py) -->\n+```python\n)(.*?)(^```$)", re.MULTILINE | re.DOTALL)
_ADVICE = re.compile(r"(<!-- advice ([\w.]+) -->)[^|\n]*?(<!-- end -->)")
_TABLE = re.compile(r"(<!-- begin: (transitions|final states) -->\n).*?(<!-- end: \2 -->)", re.DOTALL)
_TABLES = {"transitions": situations, "final states": final_states}
_INLINE = re.compile(r"`((?:make|paywright) [^`]+)`")
_NO_PROSE = re.compile(r"^```.*?^```$|<!-- (advice|begin: ).*?<!-- end", re.MULTILINE | re.DOTALL)
_LONGEST = {"audit": 3_000, "notifications": 2_500, "outcomes": 2_300}
"""Words of the longest guides, outside of their code; no other has more than 1,500."""


def derived() -> dict[Path, str]:
    """Return the documents that are generated, in whole or in part, by their path."""
    contract = load(TOP / "spec")
    pages = {
        **reference_pages(contract, run_examples([*contract.operations, *contract.seen])),
        **api_pages(TOP, contract),
    }
    generated = {
        **{REFERENCE / name: text for name, text in pages.items()},
        TOP / "docs" / "contract.md": language_reference(),
        TOP / "docs" / "errors.md": errors_page(TOP),
    }
    by_hand = [one for one in documents() if one not in generated and REFERENCE not in one.parents]
    return {one: with_excerpts(one.read_text(encoding="utf-8")) for one in by_hand} | generated


def language_reference() -> str:
    """Write the reference of the contract's language, shown by the tiny contract of the tests."""
    from tests.codegen.helpers.refusals import MISTYPED, UNSAID, changed_line

    spec, tiny, golden = (
        TOP / "spec",
        TOP / "tests" / "codegen" / "tiny",
        TOP / "tests" / "codegen" / "golden" / "tinypay",
    )
    more = read_documents(spec)
    material = Material(
        legend=next(one.header for one in more if one.file == "spec/service.yaml"),
        documents=read_documents(tiny),
        more=more,
        contract=load(tiny),
        texts={f"tiny/{path.name}": path.read_text(encoding="utf-8") for path in tiny.glob("*.yaml")},
        generated={
            path.relative_to(golden).as_posix().removesuffix(".golden"): path.read_text(encoding="utf-8")
            for path in golden.rglob("*.golden")
        },
        mistypings=[(name, changed_line(one), one.says) for name, one in _first_of_each(MISTYPED).items()],
        unsaid=[(name, changed_line(one), one.says) for name, one in UNSAID.items()],
    )
    head = "<!-- Written by `make docs` from the grammar, the legend of spec/service.yaml and tests/codegen; never edited by hand. -->\n\n"
    return head + reference(material)


def _first_of_each(mistypings: Mapping[str, Refusal]) -> dict[str, Refusal]:
    """Return the first of those of which the linter says the same but for the names."""
    said = {re.sub("`[^`]*`", "", one.says.partition(";")[0]): name for name, one in reversed(mistypings.items())}
    return {name: one for name, one in mistypings.items() if name in said.values()}


def with_excerpts(text: str) -> str:
    """Return a document with its code blocks filled with the modules named in the comments above them, with advice and tables."""
    text = _ADVICE.sub(lambda found: f"{found[1]}{ADVICE[found[2]]}{found[3]}", text)
    text = _TABLE.sub(lambda found: f"{found[1]}\n{_TABLES[found[2]]()}\n{found[3]}", text)
    return _FILE.sub(lambda found: f"{found[1]}{(TOP / found[2]).read_text(encoding='utf-8')}{found[4]}", text)


def documents() -> list[Path]:
    """Return all documents of the project."""
    return [*sorted(TOP.glob("*.md")), *sorted((TOP / "docs").rglob("*.md"))]


def problems(document: Path) -> Iterator[str]:
    """Yield links and commands of a document that do not exist."""
    text = document.read_text(encoding="utf-8")
    code = "".join(match[2] for match in _FENCE.finditer(text))
    prose = _FENCE.sub("", text)
    yield from (f"link to {target}" for target in _LINK.findall(prose) if not _reachable(document, target))
    lines = [line.strip() for line in code.splitlines()]
    # In running text a group of commands may be meant as a whole, so its help is enough there.
    mentioned = [f"{command} --help" for command in _INLINE.findall(prose)]
    commands = [*mentioned, *(line for line in lines if line.startswith(("make ", "paywright ")))]
    yield from (f"`{command}`" for command in commands if not _known(command))


def unlike_a_guide(document: Path) -> Iterator[str]:
    """Yield what a guide has too much or too little of: it is short, and opens with what its reader needs and how long it takes."""
    text = _NO_PROSE.sub("", document.read_text(encoding="utf-8"))
    words = sum(re.search(r"\w", word) is not None for word in text.split())  # the bars of a table are none
    longest = _LONGEST.get(document.stem, 1_500)
    if words > longest:
        yield f"{words:,} words are more than {longest:,}: shorten it, or make it two pages"
    opening = "".join(text.split("\n\n")[1:2])
    if not (opening.startswith("**You need** ") and "**Takes**" in opening):
        yield "it does not open with **You need** and **Takes**"


def _reachable(document: Path, target: str) -> bool:
    if target.startswith(("https://", "http://")):
        return True
    name, _, anchor = target.partition("#")
    path = (document.parent / name).resolve() if name else document
    if not path.exists():
        return False
    return not anchor or anchor in _anchors(path)


@cache
def _anchors(path: Path) -> frozenset[str]:
    text = path.read_text(encoding="utf-8")
    return frozenset([*map(slug, _HEADING.findall(text)), *_ANCHOR.findall(text)])


def _known(command: str) -> bool:
    """Return whether a command exists. `...` stands for anything that may follow."""
    words = shlex.split(command.split("|")[0].split(">")[0].removesuffix("&").split("  #")[0])
    if words[0] == "make":
        targets = set(re.findall(r"^([a-z][a-z-]*):", (TOP / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
        return all(word in targets for word in words[1:] if "=" not in word and not word.startswith("-"))
    words = [word for word in words if word != "..."]
    try:
        with redirect_stderr(StringIO()), redirect_stdout(StringIO()):
            build_parser().parse_args(words[1:])
    except SystemExit as end:
        return end.code == 0
    return True


def main() -> int:
    """Write or check all documents. Return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if something would change")
    check = parser.parse_args().check
    wrong: list[str] = []
    found = derived()
    for path, text in found.items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if check:
            wrong.append(f"{path.relative_to(TOP)} is stale: run `make docs`")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.relative_to(TOP)}")
    for path in sorted({*REFERENCE.rglob("*.md")} - found.keys()):
        if check:
            wrong.append(f"{path.relative_to(TOP)} is of no part of the contract or the API: run `make docs`")
        else:
            path.unlink()
            print(f"removed {path.relative_to(TOP)}")
    for document in documents():
        wrong += [f"{document.relative_to(TOP)}: there is no {what}" for what in problems(document)]
        if document.parent == TOP / "docs" and document.name not in ("README.md", "contract.md", "errors.md"):
            wrong += [f"{document.relative_to(TOP)}: {what}" for what in unlike_a_guide(document)]
    print("\n".join(wrong) if wrong else f"{len(documents())} documents: links and commands hold", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
