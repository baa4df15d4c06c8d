"""Every cell of the client's table: what is said, what is advised, and that who follows it loses nothing and pays nothing twice."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Final

import anyio
import pytest

from paywright import (
    Client,
    FixedClock,
    GatewayError,
    Merchant,
    NewPlan,
    NotSent,
    OutcomeUnknown,
    PaywrightError,
    SnapAmount,
    SnapAsymmetric,
    contract,
)
from paywright.aio import Client as AwaitedClient
from paywright_cli.commands.call import arguments_of_example
from paywright_runtime.contract.model import Field
from paywright_runtime.signing.keys import KeyPair, load_private_key
from paywright_runtime.signing.rsa import RsaSigner
from tests.runtime.helpers.client_calls import DROP_IN, ORDER, REFUND
from tests.runtime.helpers.outcome_table import (
    TURNS,
    WRITES,
    Cell,
    cells,
    endings_table,
    kind_of,
    reasons_table,
    shows_table,
    turns_legend,
)
from tests.runtime.helpers.table_gateway import AwaitedGateway, TableGateway
from tests.support.pairs import Choose, in_part_or_whole

NOON: Final = datetime(2025, 6, 1, 12, tzinfo=UTC)
KEY: Final = "KEY_1"
OUTCOMES: Final = Path(__file__).resolve().parents[3] / "docs" / "outcomes.md"

# The arguments of a write but its key, and what its resolver is given to compare, written out where they have to agree with the
# answers of more than its example; any other write is called by its example.
WRITTEN_OUT: Final[dict[str, tuple[dict[str, Any], dict[str, Any]]]] = {
    "orders.checkout": (ORDER, {"total_amount": Decimal("10.50"), "currency": "USD"}),
    "orders.drop_in": (
        DROP_IN, {"total_amount": Decimal("10.5"), "currency": "USD"},
    ),
    "refunds.create": (REFUND, {"refund_amount": Decimal("4.25"), "refund_currency": "USD", "out_trade_no": "ord_1"}),
    "exchanges.create": (
        {
            "ccy_pair": "EURUSD", "side": "BUY", "transaction_amount": Decimal("100.00"), "transaction_ccy": "EUR",
            "target_ccy": "USD",
        },
        {"side": "BUY", "transaction_amount": 100},
    ),
    "snap.cancel": (
        {"amount": SnapAmount(value=Decimal("10.50"), currency="IDR")},
        {"service_code": "54", "amount_value": Decimal("10.5"), "amount_currency": "IDR"},
    ),
    "subscriptions.create": (
        {
            "user_id": "u1", "callback_url": "https://shop.example/notify",
            "subscription_plan": NewPlan(subject="W", total_periods=12, prices=[]),
        },
        {},
    ),
}  # fmt: skip


def calls_of(write: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arguments of a write but its key, and what its resolver is given to compare."""
    if write in WRITTEN_OUT:
        return WRITTEN_OUT[write]
    operation = contract.operation(write)
    by_wire = contract.struct(operation.data or operation.request).by_wire
    values = arguments_of_example(contract.CONTRACT, operation)
    compared = {shown.python: _asked(values, by_wire, shown.asked_path) for shown in operation.shows}
    if operation.resolution is not None and operation.resolution.operation is not None:
        query = contract.operation(operation.resolution.operation)
        fields = contract.struct(query.data or query.request).fields
        asked = arguments_of_example(contract.CONTRACT, query)
        compared |= {field.python: asked[field.wire] for field in fields if field.python in operation.resolution.asks}
    return {by_wire[name].python: value for name, value in values.items() if name != operation.key}, compared


def _asked(values: dict[str, object], by_wire: Mapping[str, Field], path: tuple[str, ...]) -> object:
    """The argument at a path of the request, None where the example has none."""
    value, field = values.get(path[0]), by_wire[path[0]]
    for name in path[1:]:
        field = contract.struct(field.of or "").by_wire[name]
        value = getattr(value, field.python, None)
    return value


class World:
    """One cell's client, of either kind, and its gateway; every call of either is awaited here."""

    def __init__(
        self, write: str, merchant: Merchant, sign: Callable[[bytes], str], *, awaited: bool, stored: bool
    ) -> None:
        self.stored = stored
        self.clock = FixedClock(NOON)
        self.write = contract.operation(write)
        self.model = TableGateway(sign, self.clock, self.write)
        self.awaited = AwaitedGateway(self.model) if awaited else None
        settings: dict[str, Any] = {"merchant": merchant, "clock": self.clock, "retries": 0, "validation": "off"}
        self.client: Client | AwaitedClient = (
            AwaitedClient(base_url="http://127.0.0.1:1", transport=self.awaited, **settings)
            if self.awaited is not None
            else Client(base_url="http://127.0.0.1:1", transport=self.model, **settings)
        )
        self.resource = getattr(self.client, write.partition(".")[0])

    async def call(self, key: str = KEY, **again: object) -> object:
        arguments = {**calls_of(self.write.name)[0], **again}
        name = next(field.python for field in self._request() if field.wire == self.write.key)
        return await wait_for(getattr(self.resource, self.write.name.partition(".")[2])(**{**arguments, name: key}))

    async def ended(self) -> BaseException | None:
        """What the call raises; None for a result."""
        try:
            if self.awaited is None:
                await self.call()
            else:
                with anyio.CancelScope() as self.awaited.scope:
                    await self.call()
        except (PaywrightError, KeyboardInterrupt) as error:
            return error
        return None

    def resolver(self, after: BaseException | None) -> Any:
        error = after if isinstance(after, PaywrightError) else None
        # The first write of a resource has `resolve`; another one has its own.
        resolve = getattr(self.resource, f"resolve_{self.write.name.partition('.')[2]}", self.resource.resolve)
        facts, known = self.write.resolution, calls_of(self.write.name)[1]
        assert facts is not None
        if isinstance(error, OutcomeUnknown):
            return resolve(error, **{name: known[name] for name in facts.asks})
        return resolve(**{facts.argument: KEY}, **known)

    def _request(self) -> Iterator[Any]:
        return iter(contract.struct(self.write.data or self.write.request).fields)


async def wait_for(made: Any) -> Any:
    return await made if inspect.isawaitable(made) else made


async def visit(world: World, cell: Cell) -> None:
    """One cell, from the call to the end of its advice."""
    model, show = world.model, cell.show
    there = show is not None and show.truth in ("there", "hidden")
    if cell.repeated and (there or show is None) and cell.ending.said:
        # The earlier call, of which nobody heard: it stands.
        model.how, model.takes_effect = "lost while waiting", True
        assert isinstance(await world.ended(), OutcomeUnknown)
    model.how, model.takes_effect = cell.ending.how, there and not model.effects[KEY] and cell.ending.left
    if cell.ending.how == "yes":
        model.how = ""
    error = await world.ended()
    _said(world, cell, error)
    if show is None:
        # What a first call that did nothing says is true, and so is a yes.
        assert model.effects[KEY] == (1 if cell.ending.how == "yes" or cell.repeated else 0)
        return
    model.turns = [turn for turn in show.turns if turn != "day"]
    assert set(model.turns) <= TURNS.keys()
    assert await _followed(world, cell, error) == cell.states
    assert model.effects[KEY] == (
        1 if there or ("place_again" in cell.states and not show.placing) else 0
    ), "nothing is lost, nothing is doubled"
    assert set(model.effects) <= {KEY}, "nothing leaves under another key"


def _said(world: World, cell: Cell, error: BaseException | None) -> None:
    ending, text = cell.ending, str(error)
    if ending.said == "interrupt":
        if world.awaited is None:
            assert isinstance(error, KeyboardInterrupt)
            text = error.__notes__[0]
        else:
            assert isinstance(error, OutcomeUnknown)
            assert error.reason == "cancelled"
    else:
        assert ("" if error is None else type(error).__name__) == ending.said
        assert getattr(error, "reason", None) in (ending.reason, None)
        if isinstance(error, GatewayError):
            assert error.code == ending.reason
    if ending.said and ending.left:
        assert "Money may have moved. Do not call it again, under this key or a new one." in text
        assert not isinstance(error, PaywrightError) or error.call_may_have_moved_money
    elif ending.said:
        assert "This call has moved no money." in text
        assert "If the outcome of an earlier call with this key is unknown" in text
        assert not isinstance(error, PaywrightError) or not error.call_may_have_moved_money


async def _followed(world: World, cell: Cell, error: BaseException | None) -> tuple[str, ...]:
    """The states that somebody sees who does what the resolver says, and asks when it says."""
    states: list[str] = []
    resolver = world.resolver(error)
    turns = list(cell.show.turns) if cell.show is not None else []
    while len(states) < len(cell.states):
        if world.stored and not (states and states[-1] == "place_again"):
            resolver = world.client.resume(resolver.to_json())
            world.clock.advance(1)  # the gateway's clock tells whole seconds
        if turns and turns[0] == "day":
            world.clock.advance(24 * 3600)
            turns.pop(0)
        step = await wait_for(resolver.step())
        turns = turns[1:]
        states.append(step.state)
        if step.state == "place_again" and cell.show is not None and cell.show.placing != "nobody":
            states += await _placed(world, resolver, cell.show.placing)
        elif step.at is not None:
            world.clock.advance(max(0.0, (step.at - world.clock.now()).total_seconds()))
    return tuple(states)


async def _placed(world: World, resolver: Any, how: str) -> list[str]:
    stored: list[str] = []

    async def store(text: str) -> None:
        stored.append(text)

    if how:
        world.model.how, world.model.takes_effect = how, False
    else:
        world.model.turns = []
    reason = ""
    try:
        permission = await wait_for(resolver.permission(store=stored.append if world.awaited is None else store))
        await world.call(permission.key, again=permission)
    except OutcomeUnknown as error:
        reason = error.reason
    except NotSent:
        assert how == "not connected"
    assert stored
    assert reason in ("", "already_placed") or how
    return [resolver.look().state] if reason else []


TABLE: Final = list(cells())


@cache
def chosen(choose: Choose) -> list[tuple[Cell, bool, bool]]:
    """Cells of the table, each for a client that is awaited or not, and a resolver that is stored or not."""

    def call(one: tuple[Cell, bool, bool]) -> Iterable[object]:
        cell, *client = one
        return cell.write, cell.ending.how, cell.repeated, *client

    def shows(one: tuple[Cell, bool, bool]) -> Iterable[object]:
        cell, *client = one
        said = (cell.ending.said, cell.ending.left, cell.ending.claimed)  # what the resolver knows
        return cell.write, said, cell.repeated, id(cell.show), *client

    return choose(product(TABLE, (False, True), (False, True)), call, shows, share=50)


@in_part_or_whole
@pytest.mark.parametrize("stored", [False, True], ids=["at once", "stored and resumed"])
@pytest.mark.parametrize("awaited", [False, True], ids=["blocking", "awaited"])
@pytest.mark.parametrize("write", WRITES)
def test_a_cell_of_a_write_is_as_the_table_says(
    write: str,
    awaited: bool,
    stored: bool,
    choose: Choose,
    merchant: Merchant,
    gateway_keys: KeyPair,
    record_property: Callable[[str, object], None],
) -> None:
    merchant.snap_signature = SnapAsymmetric(merchant.signer)
    sign = cache(RsaSigner(load_private_key(gateway_keys.private_pem)).sign)  # most of their answers are the same
    visited = wrong = 0
    failures: list[str] = []
    for cell, *client in chosen(choose):
        if cell.write != write or client != [awaited, stored]:
            continue
        visited += 1
        try:
            anyio.run(visit, World(write, merchant, sign, awaited=awaited, stored=stored), cell)
        except Exception as error:
            wrong += 1
            shown = None if cell.show is None else (cell.show.turns, cell.show.truth)
            failures.append(f"{cell.ending.how}, repeated {cell.repeated}, {shown}: {type(error).__name__} {error}")
    assert not failures, f"{wrong} of {visited} cells:\n" + "\n".join(failures[:12])
    record_property("count: cells of the client's table", visited)


def test_the_table_has_a_cell_for_every_write_and_every_code_of_the_contract() -> None:
    seen = Counter((cell.write, cell.ending.reason) for cell in TABLE)
    for write in WRITES:
        operation = contract.operation(write)
        assert kind_of(operation)
        for code in operation.refusal_codes:
            assert seen[write, code]
        assert bool(operation.duplicate_codes) == bool(seen[write, "already_placed"])
    assert WRITTEN_OUT.keys() <= set(WRITES)


def test_the_page_shows_the_table() -> None:
    text = OUTCOMES.read_text(encoding="utf-8")
    for table in (endings_table(), reasons_table(), shows_table()):
        assert table in text, f"docs/outcomes.md shall have\n{table}"
    assert turns_legend() in " ".join(text.split())
