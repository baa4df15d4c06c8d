"""Generated validators and the exported JSON Schemas judge alike, document by document, on verdict, place and code."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import Phase, given
from hypothesis import strategies as st

from tests.support.contract import contract, messages
from tests.support.documents import documents
from tests.support.examples import examples
from tests.support.mutations import Mutation, mutations
from tests.support.oracles import Found, by_component, by_jsonschema, by_jsonschema_rs, by_validators

MUTATED = 12  # documents made of each drawn one, besides itself and one with two faults
NOT_IN_SCHEMA = frozenset({"two-currencies", "pair-of-the-two"})
NOT_IN_OPENAPI = frozenset({"also", *(rule.id for struct in contract().all_structs() for rule in struct.rules)})


def assert_agreement(message: str, body: object) -> Found:
    """What all three find. Of a member with a second spelling a schema cannot say the code; its place is compared.

    Rules that no schema can say are left out; what they find is compared with the reference elsewhere. The OpenAPI document
    gives the same verdict, apart from all rules.
    """
    ours, slow, fast = by_validators(message, body), by_jsonschema(message, body), by_jsonschema_rs(message, body)
    also = {at for at, code in slow if code == "also"}
    seen = frozenset((at, "also" if at in also else code) for at, code in ours if code not in NOT_IN_SCHEMA)
    assert seen == slow, f"{message}: ours {sorted(seen - slow)}, jsonschema {sorted(slow - seen)}: {body!r}"
    assert seen == fast, f"{message}: ours {sorted(seen - fast)}, jsonschema-rs {sorted(fast - seen)}: {body!r}"
    if contract().operations[message.rpartition(".")[0]].post is not None:
        taken = by_component(message, body)
        assert taken == (
            {code for _, code in slow} <= NOT_IN_OPENAPI
        ), f"{message}: OpenAPI {taken}, {sorted(slow)}: {body!r}"
    return ours


def _one_of(possible: list[Mutation]) -> st.SearchStrategy[Mutation]:
    """First a kind, then one of that kind: there are far more ways to give a wrong type than to break a rule."""
    kinds: dict[str, list[Mutation]] = {}
    for mutation in possible:
        kinds.setdefault(mutation.kind, []).append(mutation)
    return st.one_of([st.sampled_from(found) for found in kinds.values()])


def judge_many(name: str, drawn: int, record: Callable[[str, object], None]) -> None:
    message = messages()[name]
    counts: Counter[str] = Counter()

    @examples(drawn, database=None, phases=[Phase.generate, Phase.shrink])
    @given(st.data())
    def judge(data: st.DataObject) -> None:
        body = data.draw(documents(contract(), message))
        assert assert_agreement(name, body) == frozenset(), f"{name}: drawn to be valid: {body!r}"
        assert by_validators(name, json.dumps(body).encode()) == frozenset()
        counts["valid"] += 1
        possible = mutations(contract(), message, body)
        chosen = data.draw(st.lists(_one_of(possible), min_size=MUTATED, max_size=MUTATED))
        for mutation in chosen:
            found = assert_agreement(name, mutation.apply(body))
            expected = mutation.expected
            assert expected is None or expected in found, f"{name}: {mutation!r} was not found: {sorted(found)}"
            counts[mutation.kind.split(" rule ")[0]] += 1
        both = chosen[0].apply(chosen[1].apply(body))
        assert_agreement(name, both)
        counts["two faults"] += 1

    judge()
    judged = sum(counts.values())
    assert judged >= counts["two faults"] * (MUTATED + 2) > 0
    record("count: documents judged by validators, jsonschema and jsonschema-rs", judged)
    for kind, number in counts.items():
        record(f"count:   of them: {kind}", number)


@pytest.mark.parametrize("drawn", [pytest.param(30, marks=pytest.mark.slow), pytest.param(240, marks=pytest.mark.full)])
@pytest.mark.parametrize("name", sorted(messages()))
def test_validators_and_both_schema_readers_agree(
    name: str, drawn: int, record_property: Callable[[str, object], None]
) -> None:
    judge_many(name, drawn, record_property)
