"""Generated validators against fastjsonschema and jsonschema, on three messages as real ones are.

Everybody judges the parsed message, and everybody is compiled beforehand. Ours collects all violations, as jsonschema does;
fastjsonschema stops at the first.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import fastjsonschema
from jsonschema import Draft202012Validator

from bench.figures import Figure, Timings, ratio, turns
from paywright.contract import CONTRACT
from paywright_runtime.contract.value_checks import Report

Json = dict[str, Any]
_CALLS = 20  # one timing is so many documents, because the fastest of them take microseconds

DOCUMENTS: dict[str, Json] = json.loads(Path(__file__).with_name("messages.json").read_text())


def run(name: str, document: Json, *, quick: bool = False) -> Timings:
    """Seconds of CPU for 20 judgements, per round and contender; the pure-Python jsonschema judges once and is multiplied."""
    operation, _, role = name.rpartition(".")
    schema = CONTRACT.schema(name)
    ours = CONTRACT.validator(CONTRACT.operation(operation).message(role) or "")
    compiled = fastjsonschema.compile(copy.deepcopy(schema))
    slow = Draft202012Validator(schema)

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
    contenders: dict[str, Callable[[], object]] = {
        "ours": times(judged),
        "fastjsonschema": times(lambda: compiled(document)),
        "jsonschema": lambda: list(slow.iter_errors(document)),
    }
    found = turns(contenders, batches=35 if quick else 300, batch=1)
    return {**found, "jsonschema": [_CALLS * seconds for seconds in found["jsonschema"]]}


def figures(*, quick: bool = False) -> list[Figure]:
    """Return the lines of the table: every message, and the median of the three where there is a goal."""
    timings = {name: run(name, document, quick=quick) for name, document in DOCUMENTS.items()}
    goals = {"fastjsonschema": 0.36, "jsonschema": 0.02}
    lines = []
    for other in goals:
        each = {name: ratio(found, "ours", other) for name, found in timings.items()}
        note = ", ".join(f"{value:.3f}" for value in each.values())
        lines.append(Figure("validators, valid messages", other, median(each.values()), goals[other], f"each: {note}"))
    return lines
