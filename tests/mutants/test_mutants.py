"""A test that fails notices a change; where none does, it survives."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.mutants import __main__ as mutants

MODULE = "BASE = 20\n\ndef price(count):\n    if count < 0:\n        raise ValueError(count)\n    return BASE * count\n"
TEST = """from paywright_runtime.signing.shop import price
import pytest
made = []
@pytest.fixture(scope="module")
def only_once():
    made.append(1)
    assert made == [1]
def test_price():
    assert price(1) == 20
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_one_fails_anyhow(count, only_once):
    assert price(count) > 0 and count < 5
@pytest.mark.slow
def test_nothing_is_free():
    assert price(0) == 0
"""
BETWEEN = "from paywright_runtime.signing.shop import price\ndef test_three():\n    assert price(3) == 60\n"
PLACES = {"constant": "1:constant", "comparison": "4:comparison", "guard": "4:guard"}
VERDICTS = {
    "constant": "noticed (near): tests/runtime/test_shop.py::test_price",
    "comparison": "noticed (slow): tests/runtime/test_shop.py::test_nothing_is_free",
    "guard": "SURVIVED: 4 tests run it",
}


@pytest.mark.slow
def test_a_test_that_fails_notices_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, text in {
        "runtime/paywright_runtime/__init__.py": "",
        "runtime/paywright_runtime/signing/shop.py": MODULE,
        "tests/runtime/test_shop.py": TEST,
        "tests/runtime/test_between.py": BETWEEN,
        "conftest.py": "from hypothesis import settings\nsettings.register_profile('few')\n",
        "pytest.ini": "[pytest]\nmarkers =\n  slow\n  full\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(mutants, "TOP", tmp_path)
    monkeypatch.setitem(mutants.TESTS, "runtime", "runtime")
    names = {kind: f"runtime/paywright_runtime/signing/shop.py:{at}:1" for kind, at in PLACES.items()}
    only = [word for name in names.values() for word in ("--only", name)]
    monkeypatch.setattr(sys, "argv", ["mutants", "--group", "signing", *only, "--least", "70"])
    assert mutants.main() == 1
    out = capfd.readouterr().out
    for kind, verdict in VERDICTS.items():
        assert f"{verdict}\n  {names[kind]} (signing)\n" in out
    assert "66.7 % of 3 noticed: 1 near, 1 slow" in out
