"""Say by file and line where a contract states what it states: a file of a wheel, made when it is built.

In a checkout the file would change with each line that is added above others. There it lies in the cache, made when first asked for.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Final

from paywright_codegen.generation.freshness import fingerprint
from paywright_codegen.generation.writing import write_file
from paywright_codegen.lookup import header_structs
from paywright_codegen.model.cited import Cited
from paywright_codegen.model.contract import Contract
from paywright_codegen.naming import module
from paywright_codegen.problems import ContractProblems

PLACES: Final = "places.json"
"""The name of the file in a package."""
Places = dict[str, list[str | int]]
"""By name: the file without its ending, the line, then those of members and rules in their order; `file:line` if it is another file."""


def places(contract: Contract) -> Places:
    """Return the places of every operation, object with its members and rules, and value list, by name."""

    def of(whole: Cited, *parts: Cited) -> list[str | int]:
        home, lines = module(whole.place), [(module(part.place), part.place.line) for part in (whole, *parts)]
        return [home, *(line if file == home else f"{file}:{line}" for file, line in lines)]

    structs = (*contract.all_structs(), *header_structs(contract).values())
    found = {struct.name: of(struct, *struct.fields, *struct.rules) for struct in structs}
    found |= {name: of(one) for name, one in {**contract.operations, **contract.sets}.items()}
    return dict(sorted(found.items()))


def places_text(contract: Contract) -> str:
    """Return the text of the file, an entry a line."""
    lines = (f"{json.dumps(name)}:{json.dumps(one, separators=(',', ':'))}" for name, one in places(contract).items())
    return "{" + ",\n".join(lines) + "}\n"


def places_of_checkout(top: Path) -> Places:
    """Return the places of the contract in a checkout; none if it has no contract that can be read.

    They are kept in its cache as long as spec/ and the reader are the same.
    """
    cache = top / ".cache" / PLACES
    known = fingerprint([top / "spec", Path(__file__).parents[1] / "reader", Path(__file__)])
    with suppress(OSError, ValueError, KeyError):
        kept = json.loads(cache.read_text(encoding="utf-8"))
        if kept["of"] == known:
            return dict(kept["places"])
    from paywright_codegen.reader.loader import load  # takes longer to import than the kept places to read

    try:
        made = places(load(top / "spec"))
    except ContractProblems:
        return {}
    with suppress(OSError):
        write_file(cache, json.dumps({"of": known, "places": made}))
    return made
