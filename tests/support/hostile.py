"""Strings that try to become code, and a contract with one of them in every place where text may stand.

The contract is changed on the model, past the reader, which would refuse many of them: the generator has to hold alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from itertools import product
from typing import cast

from paywright_codegen import naming
from paywright_codegen.model.cited import Prose
from paywright_codegen.model.contract import Contract, Limit, Move, Question
from paywright_codegen.model.operations import Operation
from paywright_codegen.model.rules import OneOf, Restrict, Rule
from paywright_codegen.model.types import Field, Format, Set, Value

CANARY = "PAYWRIGHT_CANARY"
_DEED = f"setattr(__import__('builtins'), '{CANARY}', 1)"
_DEED_2 = f'setattr(__import__("builtins"), "{CANARY}", 1)'

_OPENINGS = [
    "", '"', "'", '"""', "'''", '\\"', "\\'", '\\\\"', "\\\\'", '\\"""', '\\\\"""', '"""""', "\\", "\\\\", ")", '")',
    "')", '"]', "}", "})", "\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x1e", "\x85", "\u2028", "\u2029", "\x00",
    "\x1a", "\t", "\ufeff", "\u200b", "\u202e", "\\n", "\\x0a", "\\N{LINE FEED}", "\\u000a", "\\x22", "{", "{{", "{%",
    "{#", "${", "%(", "#", "\n#", "＂", "＇",
]  # fmt: skip
_PAYLOADS = [
    _DEED, _DEED_2, "{" + _DEED + "}", f"{{{{ {_DEED} }}}}", f";{_DEED};", f"\n{_DEED}\n", f"+{_DEED}+",
    f"{{% set x = {_DEED} %}}",
]  # fmt: skip
_ENDINGS = ["", '"', "'", '"""', "\\", "#"]
_MORE = [
    "# coding: utf-7", "# -*- coding: utf_16 -*-", "+ACI-", "# type: ignore", "# fmt: off", "# fmt: skip", "# noqa", "{% raw %}",
    "{% endraw %}", "{% endfor %}", "{% include 'x' %}", "{{ self }}", "{{ ''.__class__.__mro__ }}", "{# x", "-%}", "{%- if 1 %}",
    "%s %d %(x)s", "$x ${x}", "{0} {x!r:>{y}}", "f'{x}'", "\\N{NULL}", "\\U0010FFFF", "\\777", "\U0001f600", "é", "e\u0301", "ﬁ",
    "𝐞𝐯𝐚𝐥", "ｅｘｅｃ", "\u2066\u2069", "\u00ad", "\u3164", "\u180e", "\ue000", "\U000e0001", "\x7f", "\x80", "\x9f", "\x1b[31m",
    "None", "True", "__debug__", "__import__", "lambda: 0", "yield", "await x", "*", "**", "->", ":=", "@x", ";", "\\\n", " \\", "   ",
    "\t\t", "[4.1]", "eg A", "x" * 500, '"' * 7, "'" * 7, "\\" * 7, "\\" * 8, '\\"' * 5, "{" * 5, "}" * 5, "\ud800",
]  # fmt: skip

HOSTILE: tuple[str, ...] = tuple(
    dict.fromkeys([*(a + b + c for a, b, c in product(_OPENINGS, _PAYLOADS, _ENDINGS)), *_MORE, *_OPENINGS[1:]])
)

# Which attributes of which parts are text that anybody may write.
_TEXTS: dict[type, tuple[str, ...]] = {
    Prose: ("lines",),
    Field: ("sends", "default", "examples", "values", "sections", "questions"),
    Rule: ("text", "sections", "questions"), OneOf: ("values",), Restrict: ("values",), Value: ("wire", "sections"),
    Set: ("sections",), Format: ("shown",),
    Operation: ("post", "version", "envelope", "refuses", "repeats", "absent", "sections", "questions"),
    Limit: ("sections",),
    Move: ("before", "after", "trigger", "sections"),
    Question: ("says", "does", "seen", "sections"),
}  # fmt: skip

Next = Callable[[str], str]


def planted(contract: Contract, following: Next) -> Contract:
    """The contract with every free text replaced; `following` gives the text for a kind of place, such as `Field.sends`."""
    return cast(Contract, _planted(contract, following))


def _planted(part: object, following: Next) -> object:
    if isinstance(part, dict):
        return {name: _planted(item, following) for name, item in part.items()}
    if isinstance(part, tuple):
        return tuple(_planted(item, following) for item in part)
    if not is_dataclass(part) or isinstance(part, type):
        return part
    changes: dict[str, object] = {}
    kind = type(part).__name__
    texts = _TEXTS.get(type(part), ())
    for one in (each for each in fields(part) if each.init):
        value = getattr(part, one.name)
        if one.name in texts and isinstance(value, str):
            changes[one.name] = following(f"{kind}.{one.name}")
        elif one.name in texts and isinstance(value, tuple):
            changes[one.name] = tuple(following(f"{kind}.{one.name}") for _ in value)
        else:
            changes[one.name] = _planted(value, following)
    if isinstance(part, Value):
        changes["member"] = naming.member(part)
    elif isinstance(part, Format) and part.pattern is not None:
        changes["pattern"] = re.escape(following("Format.pattern"))
    elif isinstance(part, Operation):
        for name in ("succeeds", "when"):
            pair = getattr(part, name)
            if pair is not None:
                changes[name] = (pair[0], following(f"Operation.{name}"))
    elif isinstance(part, Field) and part.type.kind in ("number", "boolean"):
        changes.update(examples=part.examples, default=part.default, values=part.values, sends=part.sends)
    return replace(part, **changes)
