"""Whatever the bytes of a contract are, reading it ends in a contract or in problems that name a file and a line."""

from __future__ import annotations

import random
import string
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from paywright_codegen.lint.linter import check, lint
from paywright_codegen.problems import ContractProblems, Problem
from paywright_codegen.reader.loader import load
from tests.codegen.helpers.contract_texts import SHOP, SPEC
from tests.support.examples import examples

FILES = [path.read_bytes() for path in sorted(SPEC.glob("*.yaml"))] + [SHOP.encode()]
_WORDS = (
    "# |  # |: | #|#|!|?| ?q|&a |*a|!!str |[|{|}|]|- |>|'|\"|\\|<<: |%YAML 9| max | min | range 9..1| in | is | eg "
    "| exactly 0| also | none|[]| from | and | or |when |need |, |{a b}|types:|A from A [1]:|...: ?x|\n\n|\n---\n|\n...\n"
    "|\n  x:\n|\t|\r|\0|\u0085|\u2028|\ufeff|\u0663"
)
PIECES = [
    *(bytes([number]) for number in range(256)),
    *(word.encode() for word in _WORDS.split("|")),
    b"|\n", b"9" * 5000, b"a" * 2000,
]  # fmt: skip


def judge(*contents: bytes) -> None:
    """Read, lint and load the contents as files of a contract."""
    with TemporaryDirectory() as directory:
        folder = Path(directory) / "spec"
        folder.mkdir()
        for number, content in enumerate(contents):
            (folder / f"f{number}.yaml").write_bytes(content)
        found = check(folder)
        judged: tuple[Problem, ...] = found
        try:
            contract = load(folder)
        except ContractProblems as error:
            judged = (*found, *error.problems)
            assert len(judged) > len(found) > 0
        else:
            assert lint(contract) == found
    for problem in judged:
        assert problem.place.file.startswith("spec")
        assert problem.place.line >= 1
        assert problem.what
        assert problem.do
        assert "\n" not in str(problem)


@examples(150)
@given(st.binary(max_size=400))
@example(b"")
@example(b"\n")
@example(b"a")
@example(b"types: x\n")
@example(b"types:\n")
@example(b"a: [" + b"{a: [" * 2000)
@example(b"? " * 3000)
@example(b"- " * 3000)
@example(b"a:\n" + b"".join(b" " * n + b"a:\n" for n in range(1, 300)))
def test_random_bytes_end_in_problems(content: bytes) -> None:
    judge(content)


@examples(150)
@given(st.text(alphabet=string.printable + "\u0085\u2028äé", max_size=300))
def test_random_text_ends_in_problems(content: str) -> None:
    judge(content.encode())


@st.composite
def mutated(draw: st.DrawFn, content: bytes) -> bytes:
    """A file with a few cuts, copies and insertions."""
    seed = random.Random(draw(st.integers(0, 2**64)))
    for _ in range(seed.randint(1, 4)):
        at, to = sorted((seed.randrange(len(content) + 1), seed.randrange(len(content) + 1)))
        to = min(to, at + seed.choice([1, 2, 5, 30, 200]))
        kind = seed.randrange(5)
        if kind == 0:
            content = content[:at] + content[to:]
        elif kind == 1:
            content = content[:to] + content[at:to] + content[to:]
        elif kind == 2:
            lines = content.split(b"\n")
            seed.shuffle(lines[len(lines) // 2 :])
            one, other = seed.randrange(len(lines)), seed.randrange(len(lines))
            lines[one], lines[other] = lines[other], lines[one]
            content = b"\n".join(lines)
        elif kind == 3:
            words = content.split(b" ")
            one, other = seed.randrange(len(words)), seed.randrange(len(words))
            words[one] = words[other]
            content = b" ".join(words)
        else:
            content = content[:at] + seed.choice(PIECES) + content[at:]
    return content


@pytest.mark.slow
@examples(120)
@given(st.sampled_from(FILES).flatmap(mutated))
def test_a_damaged_file_ends_in_a_contract_or_in_problems(content: bytes) -> None:
    judge(content)


@pytest.mark.slow
@examples(10)
@given(st.integers(0, len(FILES) - 2).flatmap(lambda at: mutated(FILES[at]).map(lambda new: (at, new))))
def test_a_contract_with_one_damaged_file_ends_in_a_contract_or_in_problems(damage: tuple[int, bytes]) -> None:
    at, new = damage
    judge(*[new if number == at else content for number, content in enumerate(FILES[:-1])])
