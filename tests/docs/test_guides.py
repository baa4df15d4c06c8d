"""The guides open with what their reader needs and how long they take, and stay short."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
WRITTEN = {"README.md", "contract.md", "errors.md"}
"""Pages that `make docs` writes whole, and the list of pages."""
GUIDES = sorted(path.stem for path in DOCS.glob("*.md") if path.name not in WRITTEN)
LONGEST = {"audit": 3_000, "notifications": 2_500, "outcomes": 2_300}
"""Words of the longest guides, outside of their code; no other has more than 1,500."""


def prose(name: str) -> str:
    text = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    return re.sub(r"^```.*?^```$|<!-- (advice|begin: ).*?<!-- end", "", text, flags=re.MULTILINE | re.DOTALL)


def counted(name: str) -> int:
    """How many words a page has outside of its code; the bars of a table are none."""
    return sum(re.search(r"\w", word) is not None for word in prose(name).split())


@pytest.mark.parametrize("name", GUIDES)
def test_a_guide_is_short_and_opens_with_what_it_needs(name: str) -> None:
    text = prose(name)
    assert counted(name) <= LONGEST.get(name, 1_500)
    opening = text.split("\n\n")[1]
    assert opening.startswith("**You need** ")
    assert "**Takes**" in opening
