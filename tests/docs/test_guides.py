"""The guides open with what their reader needs and how long they take, and stay short."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
LONGEST = {"follow": 900, "glossary": 1_000, "notifications": 2_800, "outcomes": 2_500, "paid": 1_200}
"""Words of each guide outside of its code."""


@pytest.mark.parametrize("name", LONGEST)
def test_a_guide_is_short_and_opens_with_what_it_needs(name: str) -> None:
    text = re.sub(
        r"^```.*?^```$", "", (DOCS / f"{name}.md").read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    assert len(text.split()) <= LONGEST[name]
    opening = text.split("\n\n")[1]
    assert opening.startswith("**You need** ")
    assert "**Takes** " in opening
    assert "webhook" in text.lower()
