"""Generated validators against fastjsonschema, jsonschema, jsonschema-rs, pydantic and msgspec, on the same messages.

Everybody judges the parsed message, and everybody is compiled beforehand. Ours collects all violations, as jsonschema and
jsonschema-rs do; fastjsonschema and msgspec stop at the first. pydantic and msgspec do not check the rules across
fields, and build objects.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from statistics import median

import fastjsonschema
import jsonschema_rs
import msgspec
from jsonschema import Draft202012Validator

from bench.documents import DOCUMENTS, Json
from bench.figures import Figure, Timings, paired, ratio
from bench.models import msgspec_type, pydantic_type
from paywright.contract import CONTRACT
from paywright_codegen.reader.loader import load
from paywright_runtime.contract.violations import Report

TOP = Path(__file__).resolve().parents[1]
_CALLS = 20  # one timing is so many documents, because the fastest of them take microseconds


def run(name: str, document: Json, *, quick: bool = False) -> Timings:
    """Seconds for 20 judgements, per round and contender; the pure-Python jsonschema judges once and is multiplied."""
    contract = load(TOP / "spec")
    message = next(one for operation in contract.operations.values() for one in operation.messages if one.name == name)
    schema = CONTRACT.schema(name)
    ours = CONTRACT.validator(message.root.name)
    compiled = fastjsonschema.compile(copy.deepcopy(schema))
    slow = Draft202012Validator(schema)
    rust = jsonschema_rs.Draft202012Validator(schema)
    model = pydantic_type(contract, message.root)
    struct = msgspec_type(contract, message.root)

    def judged() -> None:
        bad = Report()
        ours(document, "", bad)
        assert not bad.found

    def times(call: Callable[[], object]) -> Callable[[], None]:
        def many() -> None:
            for _ in range(_CALLS):
                call()

        return many

    assert list(slow.iter_errors(document)) == []
    assert rust.is_valid(document)
    contenders: dict[str, Callable[[], object]] = {
        "ours": times(judged),
        "fastjsonschema": times(lambda: compiled(document)),
        "jsonschema": lambda: list(slow.iter_errors(document)),
        "jsonschema-rs": times(lambda: list(rust.iter_errors(document))),
        "pydantic": times(lambda: model.model_validate(document)),
        "msgspec": times(lambda: msgspec.convert(document, struct)),
    }
    found = paired(contenders, rounds=7 if quick else 21, repeat=5 if quick else 15)
    return {**found, "jsonschema": [_CALLS * seconds for seconds in found["jsonschema"]]}


def figures(*, quick: bool = False) -> list[Figure]:
    """Return the lines of the table: every message, and the median of the three where there is a goal."""
    timings = {name: run(name, document, quick=quick) for name, document in DOCUMENTS.items()}
    goals = {"fastjsonschema": 0.4, "jsonschema": 0.03}
    lines = []
    for other in ("fastjsonschema", "jsonschema", "jsonschema-rs", "pydantic", "msgspec"):
        each = {name: ratio(found, "ours", other) for name, found in timings.items()}
        note = ", ".join(f"{value:.3f}" for value in each.values())
        lines.append(
            Figure("validators, valid messages", other, median(each.values()), goals.get(other), f"each: {note}")
        )
    return lines
