"""A test that fails notices a change; where none does, it survives."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.mutants import __main__ as mutants
from tests.mutants.changes import changes, switched

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


KINDS = [
    ("statement", "    f()", "pass"),
    ("statement", "    self.a = 1", "pass"),
    ("statement", "    given = given.b", "pass"),
    ("statement", "    new = given.b", None),
    ("guard", "    if given: return", "if False: return"),
    ("flip", "    if given: f()", "if not given: f()"),
    ("operand", "    return a and b", "return b"),
    ("and-or", "    return a and b", "return a or b"),
    ("swap", "    f(a, b)", "f(b, a)"),
    ("swap", "    f(a, 1)", None),
    ("name", "    return any(a)", "return all(a)"),
    ("comparison", "    return a < 2", "return a <= 2"),
    ("sum", "    return a + b", "return a - b"),
    ("sum", "    return a + 'b'", None),
    ("constant", "    return a[0]", "return a[-1]"),
    ("constant", "    def g(a: Literal[1]) -> None: ...", None),
    ("sql", "    return f'SELECT {a} WHERE {b} > 1'", "return f'SELECT {a} WHERE {b} >= 1'"),
    ("operand", "    raise E(f'{a and b}')", None),
    ("statement", "    logger.info(a)", None),
]


@pytest.mark.parametrize(("kind", "line", "instead"), KINDS)
def test_what_people_get_wrong_is_drawn_and_nothing_else(kind: str, line: str, instead: str | None) -> None:
    found = [one for one in changes("a.py", f"def f(self, given):\n{line}\n")[1] if one.kind == kind]
    assert [one.shown for one in found][:1] == ([f"  - {line.strip()}\n  + {instead}"] if instead else [])


def test_a_changed_module_is_as_it_was_until_a_change_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    tree, found = changes("shop.py", MODULE)
    monkeypatch.syspath_prepend(Path(__file__).parent)
    import switch

    monkeypatch.setitem(sys.modules, "mutant_switch", switch)
    module: dict[str, object] = {}
    exec(switched(tree, dict(enumerate(found)), "shop.py"), module)
    assert module["price"](2) == 40  # type: ignore[operator]
    monkeypatch.setattr(switch, "active", next(at for at, one in enumerate(found) if one.kind == "guard"))
    assert module["price"](-1) == -20  # type: ignore[operator]
