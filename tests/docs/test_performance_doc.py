"""docs/performance.md: what repeats a figure exists, and goals and limits are those of the benches and tests."""

from __future__ import annotations

import re

import pytest

from bench.run import PARTS
from tests.docs.pages import Page
from tests.support.packages import TOP

_PAGE = Page("performance")
_TEXT = _PAGE.text
_SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", _TEXT, re.MULTILINE | re.DOTALL))
_REPEATED = re.compile(r"`python -m bench (\w+)`")


def numbers(source: str) -> set[float]:
    return {float(number.replace("_", "")) for number in re.findall(r"\b\d[\d_]*(?:\.\d+)?\b", source)}


@pytest.mark.parametrize("part", PARTS)
def test_each_bench_has_a_section_with_its_goals(part: str) -> None:
    (section,) = (text for text in _SECTIONS.values() if part in _REPEATED.findall(text))
    goals = {float(goal) for goal in re.findall(r"\| at (?:least|most) ([\d.]+)", section)}
    assert goals
    assert goals <= numbers((TOP / "bench" / f"{part}.py").read_text(encoding="utf-8"))


def test_the_commands_name_parts_of_the_bench() -> None:
    block = _PAGE.block("", "make bench\n")
    named = {word for line in block.splitlines()[1:] for word in line.removeprefix("python -m bench").split()}
    assert named - {"--quick"} <= set(PARTS)
