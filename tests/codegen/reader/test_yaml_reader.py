"""What the reader refuses, and what it keeps exactly as written."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from paywright_codegen.problems import ContractProblems
from paywright_codegen.reader.document import Document, TreeBlock, prose_of
from paywright_codegen.reader.yaml_reader import read_file, read_folder
from tests.codegen.helpers.contract_texts import SHOP, folder_of
from tests.support.tables import table


def document_of(text: str) -> Document:
    document, problems = read_file("spec/a.yaml", text.encode())
    assert problems == []
    assert document is not None
    return document


def said(text: str | bytes) -> list[str]:
    raw = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return [str(problem) for problem in read_file("spec/a.yaml", raw)[1]]


def only(text: str | bytes) -> str:
    problems = said(text)
    assert len(problems) == 1, problems
    return problems[0]


@pytest.mark.parametrize(
    "written", ["00", "NO", "1.10", "4.10", "2025-02-26", "0x1f", "1_000", "~", "null", "1e3", "=", "12:30"]
)
def test_every_scalar_stays_the_text_that_was_written(written: str) -> None:
    document = document_of(f"a:\n  {written}: {written}\n")
    entry = document.block.entries[0].block.entries[0]
    assert (entry.key.text, entry.text) == (written, written)


def test_every_scalar_knows_its_file_and_line() -> None:
    document = document_of("# head\n\na:\n  b: c\n  d:\n    e: f\n")
    a = document.block.entries[0]
    assert str(a.place) == "spec/a.yaml:3"
    assert [str(entry.place) for entry in a.block] == ["spec/a.yaml:4", "spec/a.yaml:5"]
    assert str(a.block.entries[1].block.entries[0].place) == "spec/a.yaml:6"


def test_prose_is_the_block_above_a_key_and_then_the_comment_behind_it() -> None:
    document = document_of("a:\n\n  # first\n  # second\n  b: c  # third\n\n  d:   # behind a block\n    e: f\n")
    b, d = document.block.entries[0].block
    assert prose_of(b).lines == ("first", "second", "third")
    assert prose_of(b).summary == "first"
    assert prose_of(d).lines == ("behind a block",)


def test_a_comment_that_is_only_a_citation_is_no_prose() -> None:
    entry = document_of("a:\n  b: c  # [8]\n").block.entries[0].block.entries[0]
    assert prose_of(entry).lines == ()
    assert entry.comments == ("[8]",)


def test_the_block_at_the_top_belongs_to_the_file_if_a_blank_line_follows_it() -> None:
    document = document_of("# one\n#\n# two\n\na:\n  b: c\n")
    assert document.header == ("# one", "#", "# two")
    assert prose_of(document.block.entries[0]).lines == ()


def test_a_hash_inside_a_quoted_text_is_no_comment() -> None:
    document = document_of("a:\n  b: \"x # y\"  # z\n  c: 'it''s # so'\n  d: e#f\n")
    b, c, d = document.block.entries[0].block
    assert (b.text, b.behind) == ("x # y", "z")
    assert (c.text, c.behind) == ("it's # so", None)
    assert d.text == "e#f"


def test_a_comment_behind_a_folded_rule_is_the_rules() -> None:
    document = document_of("rules:\n  A:\n    b: when c is D,\n      need e  # why\n    f: need g\n")
    b, f = document.block.entries[0].block.entries[0].block
    assert (b.text, b.behind) == ("when c is D, need e", "why")
    assert f.behind is None


REFUSED: dict[str, tuple[str, int, str]] = table("codegen/reader/refused.yaml")["files"]


@pytest.mark.parametrize("name", REFUSED)
def test_the_reader_refuses(name: str) -> None:
    text, line, what = REFUSED[name]
    found = [one for one in said(text) if one.startswith(f"spec/a.yaml:{line}: ") and what in one]
    assert found, said(text)
    assert all("; " in one for one in found)


def test_a_lone_surrogate_is_refused() -> None:
    assert "is not UTF-8" in only("a:\n  b: \ud800\n")


def test_bytes_that_are_not_utf8_are_refused_with_their_line() -> None:
    assert only(b"a:\n  b: c\xff\n") == "spec/a.yaml:2: byte 0xff is not UTF-8; save the file as UTF-8"


def test_a_file_in_utf16_is_refused() -> None:
    assert "is not UTF-8" in only("a:\n  b: c\n".encode("utf-16"))


@pytest.mark.parametrize("deep", ["a: " + "[" * 400_000, "- " * 400_000, "a: " + "{a: " * 200_000, "? " * 400_000])
def test_a_deep_nesting_is_refused_at_once(deep: str) -> None:
    assert said(f"{deep}\n")


def test_a_huge_file_is_refused() -> None:
    assert "more than 1000000 bytes" in only("a:\n" + "  # x\n" * 200_000)


def test_a_huge_file_is_not_read_whole(tmp_path: Path) -> None:
    with (tmp_path / "a.yaml").open("wb") as file:
        file.truncate(100_000_000)
    tracemalloc.start()
    problems = read_folder(tmp_path)[1]
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert ["more than 1000000 bytes" in one.what for one in problems] == [True]
    assert most < 20_000_000


def test_all_problems_of_a_file_are_told_at_once() -> None:
    text = "a:\n  b: &x c\n  b: d\n  e: f\tg\n  h: {i: j}\n  # k\n\n  l: 'm'#n\n"
    lines = sorted(one.split(":")[1] for one in said(text))
    assert lines == ["2", "3", "4", "5", "6", "8"]


def test_all_problems_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, a="x:\n  y: &z w\n", b="x: [y]\n", c="x:\n  y: z\n")
    documents, problems = read_folder(folder)
    assert [document.file for document in documents] == ["spec/c.yaml"]
    assert [str(problem.place) for problem in problems] == ["spec/a.yaml:2", "spec/b.yaml:1"]


@pytest.mark.parametrize(
    ("first", "second", "name"),
    [
        ("types:\n  A [1]:\n    b: string\n", "types:\n  A from C [2]:\n    d: string\n", "A"),
        ("types:\n  A [1]:\n    b: string\n", "enums:\n  A [1]: X Y\n", "A"),
        ("states:\n  A [1] ?q: X Y\n", "enums:\n  A [1]: X Y\n", "A"),
        ("formats:\n  code [1]:\n    shown: x\n", "formats:\n  code [2]:\n    shown: y\n", "code"),
        ("operations:\n  a.b [1]:\n    post: /x\n", "notifications:\n  a.b [2]:\n    post: /y\n", "a.b"),
        ("questions:\n  q [1]:\n    says: x\n", "questions:\n  q [2]:\n    says: y\n", "q"),
        ("limits:\n  l [1]: 1 s\n", "limits:\n  l [2]: 2 s\n", "l"),
        ("rules:\n  A:\n    b: need c\n", "rules:\n  A:\n    d: need e\n", "A"),
    ],
)
def test_what_is_defined_in_two_files_is_refused(tmp_path: Path, first: str, second: str, name: str) -> None:
    _, problems = read_folder(folder_of(tmp_path, a=first, b=second))
    assert [str(one) for one in problems] == [
        f"spec/b.yaml:2: `{name}` is defined twice, first in spec/a.yaml:2; keep one, or give one of them another name"
    ]


def test_files_are_read_in_alphabetical_order_and_others_left_alone(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, b="x:\n  y: z\n", a="x:\n  w: z\n")
    (folder / "notes.txt").write_text("\t")
    assert [document.file for document in read_folder(folder)[0]] == ["spec/a.yaml", "spec/b.yaml"]


@pytest.mark.parametrize("name", ["a.yml", "a.YAML", "a.Yml"])
def test_a_file_that_would_silently_be_left_out_is_refused(tmp_path: Path, name: str) -> None:
    folder = folder_of(tmp_path, b="x:\n  y: z\n")
    (folder / name).write_text("x:\n  y: z\n")
    assert [str(one.place) for one in read_folder(folder)[1]] == [f"spec/{name}:1"]


def test_a_folder_that_is_none_and_a_file_that_is_a_folder_are_problems(tmp_path: Path) -> None:
    assert "cannot be read" in str(read_folder(tmp_path / "nothing")[1][0])
    (tmp_path / "spec" / "x.yaml").mkdir(parents=True)
    assert "spec/x.yaml:1: the file cannot be read" in str(read_folder(tmp_path / "spec")[1][0])


def test_an_empty_folder_is_a_problem(tmp_path: Path) -> None:
    assert "has no .yaml file" in str(read_folder(tmp_path)[1][0])


def test_a_problem_names_file_line_what_and_what_to_do() -> None:
    [problem] = read_file("spec/a.yaml", b"a:\n  b: &x c\n")[1]
    assert str(problem) == "spec/a.yaml:2: an anchor, `&x`; remove it"
    assert str(ContractProblems([problem])) == str(problem)


def test_every_line_of_a_contract_file_becomes_an_entry() -> None:
    def entries(block: TreeBlock) -> int:
        return sum(1 + entries(entry.block) for entry in block)

    written = [line for line in SHOP.split("\n") if line.strip() and not line.strip().startswith("#")]
    assert entries(document_of(SHOP).block) == len(written)
