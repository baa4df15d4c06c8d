"""Strategies of the testing kit: what they draw is valid, for our validators and for jsonschema-rs; what they break is found."""

import json
import subprocess
import sys
from collections.abc import Callable

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from paywright import InvalidArgument
from paywright.contract import CONTRACT
from paywright_runtime import strict_json
from paywright_runtime.contract.amount_guards import Guards
from paywright_runtime.contract.value_checks import Report, within
from paywright_sandbox.testing import Broken, answers, broken, notifications, requests
from tests.support.examples import examples
from tests.support.oracles import by_jsonschema_rs, by_validators, is_valid_by_jsonschema_rs

MESSAGES = [f"{name}.{role}" for name in CONTRACT.operations() for role in CONTRACT.operation(name).roles]
DRAWN, DRAWN_SLOW, DRAWN_FULL = 12, 40, 2_400
Note = Callable[[str, object], None]


def drawn(message: str) -> st.SearchStrategy[dict[str, object]]:
    operation, _, role = message.rpartition(".")
    return requests(operation) if role == CONTRACT.operation(operation).roles[0] else answers(operation)


def judge_drawn(message: str, count: int, note: Note) -> None:
    operation = CONTRACT.operation(message.rpartition(".")[0])
    guards = Guards(CONTRACT, operation.data or operation.request, operation.guards)
    judged = 0

    @examples(count, database=None)
    @given(drawn(message))
    def judge(body: dict[str, object]) -> None:
        nonlocal judged
        judged += 1
        assert by_validators(message, body) == frozenset()
        assert is_valid_by_jsonschema_rs(message, body), by_jsonschema_rs(message, body)
        if message.endswith(".request") and not operation.inbound:
            report = Report()
            guards.check(strict_json.parse(json.dumps(within(body, operation.payload_paths[0]) or {}).encode()), "", report)  # type: ignore[arg-type]  # an object
            assert report.found == [], "the client would not send it"

    judge()
    note("count: documents drawn, and valid", judged)


def judge_broken(message: str, count: int, note: Note) -> None:
    judged: list[bool] = []

    @examples(count, database=None)
    @given(broken(message))
    def judge(one: Broken) -> None:
        judged.append((one.pointer, one.code) in by_validators(one.message, one.body))
        assert not is_valid_by_jsonschema_rs(message, one.body) or one.code in ("two-currencies", "pair-of-the-two")

    judge()
    assert sum(judged) >= 0.99 * len(judged)
    note("count: broken documents drawn", len(judged))
    note("count: broken documents found where they say", sum(judged))


@pytest.mark.parametrize("message", MESSAGES)
@pytest.mark.parametrize("count", [DRAWN, pytest.param(DRAWN_SLOW, marks=pytest.mark.slow), pytest.param(DRAWN_FULL, marks=pytest.mark.full)])  # fmt: skip
def test_drawn_documents_are_valid_and_broken_ones_found(message: str, count: int, record_property: Note) -> None:
    judge_drawn(message, count, record_property)
    judge_broken(message, min(count, DRAWN_FULL // 4), record_property)


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("refunds.create", {"required", "type", "max", "format", "which-order"}),
        ("exchanges.create", {"one-side-usd", "two-currencies", "pair-of-the-two"}),
        ("accounts.list_authorized", {"value"}),
    ],
)
def test_every_kind_of_mistake_is_drawn(name: str, codes: set[str]) -> None:
    chosen = settings(max_examples=2_000, database=None, deadline=None, phases=[Phase.generate])
    for code in codes:

        def has_it(one: Broken, code: str = code) -> bool:
            return one.code == code

        one = find(broken(name), has_it, settings=chosen)
        assert repr(one) == f"<Broken {name}.request: {one.code} at {one.pointer}>"


def test_notifications_are_drawn_by_their_kind() -> None:
    @examples(10, database=None)
    @given(notifications("transfer"))
    def judge(body: dict[str, object]) -> None:
        assert body["notifyType"] == "RECEIVE"

    judge()


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: requests("refunds.creat"), "Did you mean refunds.create"),
        (lambda: answers("refund"), "Did you mean refunds"),
        (lambda: notifications("transfers"), "Did you mean transfer?"),
        (lambda: notifications("payment"), "It has transfer, period"),
        (lambda: broken("refunds.create.answer"), "Did you mean refunds.create"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest(ask: Callable[[], object], words: str) -> None:
    with pytest.raises(InvalidArgument, match=words.replace("?", "[?]")):
        ask()


def test_without_hypothesis_the_error_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['hypothesis'] = None\n"
        "try:\n    from paywright_sandbox.testing import requests\n"
        "except Exception as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=True)
    assert done.stdout == "The strategies need an extra: pip install 'paywright[testing]'.\n"
