"""What people get wrong is drawn, and a module with switches is as it was until one is on."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.mutants.changes import changes, switched

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
MODULE = "BASE = 20\n\ndef price(count):\n    if count < 0:\n        raise ValueError(count)\n    return BASE * count\n"


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
