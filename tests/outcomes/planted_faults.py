"""Faults of the client and of shops, to be put back one by one, and what is to find each.

They are what the client, its samples or shops in the field did, or would do without one line of what they have.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, Final, Literal, NamedTuple, cast
from uuid import uuid4

import pytest
import shop
from shop import NotHeld, Payment, PaymentTable, Request

from paywright import AlreadyPlaced, Client, GatewayError, NotSent, OutcomeUnknown, PaywrightError, UnreadableAnswer
from paywright_runtime.client import call as calling
from paywright_runtime.client import codec as core
from paywright_runtime.client import resolver
from paywright_runtime.client.client import ClientCore
from paywright_runtime.client.permission import Permission
from paywright_runtime.client.prepared import Prepared
from paywright_runtime.client.resolver import Resolver, ResolverBase
from paywright_runtime.clock import Moment
from paywright_runtime.settling import resolution as resolving
from paywright_runtime.settling.resolution import ResolutionState
from paywright_runtime.signing.rsa import UnsignedAnswers, VerifiedBytes
from paywright_runtime.transport.api import TransportFailure
from tests.outcomes import model_gateway
from tests.outcomes.model_gateway import Fate
from tests.outcomes.samples_machine import Habit, SamplesMachine

__all__ = ["FAULTS", "Fault", "planted", "play"]

Finder = Literal["script", "stored permission", "hanging job", "hanging click", "asked anew", "bad row"]
Script = Callable[[SamplesMachine], object]
Patch = pytest.MonkeyPatch
Plant = Callable[[Patch], None]


class Fault(NamedTuple):
    """How it is put back, and what finds it: a test of one situation, or a run of the state machine, here its `script`."""

    plant: Plant
    found_by: Finder
    script: Script | None


FAULTS: Final[dict[str, Fault]] = {}


def fault(name: str, found_by: Finder = "script", *, script: Script | None = None) -> Callable[[Plant], Plant]:
    """Enter a fault into the list."""

    def enter(plant: Plant) -> Plant:
        FAULTS[name] = Fault(plant, found_by, script)
        return plant

    return enter


class Checked:
    """A state machine whose rules are called by a script: after each its invariants are looked at, as Hypothesis does."""

    def __init__(self, machine: SamplesMachine) -> None:
        self._machine = machine

    def __getattr__(self, name: str) -> Callable[..., None]:
        do = getattr(self._machine, name)

        def checked(*given: object, **named: object) -> None:
            do(*given, **named)
            self._machine.each_is_charged_at_most_once()
            self._machine.what_the_table_says_is_true()

        return checked


def play(script: Script) -> None:
    """Run a script on a new machine, to its end."""
    machine = SamplesMachine()
    try:
        script(cast(SamplesMachine, Checked(machine)))
        machine.mend_and_look()
    finally:
        machine.clean_up()


A, B = ("order", "A"), ("order", "B")


def badly_placed_again(habit: Habit) -> Script:
    def script(m: SamplesMachine) -> None:
        m.begin()
        m.placing_again_is_done_badly(habit=habit)
        m.an_order_gets_lost_and_is_asked_for(payment=A, host=0)
        m.job(host=0, fates=["answered", "request lost"], killed=None)

    return script


def killed_while_placing_again(m: SamplesMachine) -> None:
    m.begin(keys="late", shown_after=150.0, hold=60.0)
    m.an_order_gets_lost_and_is_asked_for(payment=A, host=0)
    m.job(host=0, fates=[], killed=6)
    m.time_passes(61.0)
    m.job(host=1, fates=[], killed=None)


def late_and_asked_by_two_hosts(m: SamplesMachine) -> None:
    m.begin(keys="late", shown_after=150.0, delay=119.0, ahead=(-150.0, 140.0))
    m.click(host=0, payment=A, fates=["late"], killed=None)
    m.time_passes(61.0)
    m.job(host=0, fates=[], killed=None)
    m.time_passes(60.0)
    m.job(host=1, fates=[], killed=None)


def late_and_asked_once(m: SamplesMachine) -> None:
    m.begin(keys="late", shown_after=150.0, delay=119.0)
    m.click(host=0, payment=A, fates=["late"], killed=None)
    m.time_passes(61.0)
    m.job(host=0, fates=[], killed=None)
    m.time_passes(120.0)


def another_amount_after_a_backup(m: SamplesMachine) -> None:
    m.begin()
    m.click(host=0, payment=A, fates=[], killed=None)
    m.a_backup_is_restored_and_it_is_clicked_again(payment=A, amount="20.00", fates=[])
    m.time_passes(61.0)
    m.job(host=0, fates=[], killed=None)


def two_jobs_switched(m: SamplesMachine) -> None:
    """Both have listed the payment; the second is about to place it again when the first goes on."""
    m.begin(keys="late", shown_after=150.0)
    m.an_order_gets_lost_and_is_asked_for(payment=A, host=0)
    m.two_jobs_at_once(first=2, second=5, third=12, fates=[])


def refused_while_the_first_stands(m: SamplesMachine) -> None:
    m.begin(checks="amounts first", shown_after=900.0)
    m.click(host=0, payment=A, fates=["answer lost"], killed=None)
    m.time_passes(61.0)
    m.job(host=0, fates=[], killed=None)
    m.the_gateway_refuses(code="AMOUNT_LIMIT")
    m.time_passes(310.0)
    m.job(host=0, fates=[], killed=None)


def clicks(*fates: Fate, again: bool = False, **begin: Any) -> Script:
    """One click of an order, whose call has this fate; and another click."""

    def script(m: SamplesMachine) -> None:
        m.begin(**begin)
        m.click(host=0, payment=B, fates=[], killed=None)
        m.click(host=0, payment=A, fates=list(fates), killed=None)
        if again:
            m.click(host=1, payment=A, fates=[], killed=None)

    return script


def killed_click(killed: int) -> Script:
    def script(m: SamplesMachine) -> None:
        m.begin()
        m.click(host=0, payment=A, fates=[], killed=killed)
        m.time_passes(310.0)
        m.job(host=0, fates=[], killed=None)

    return script


@contextmanager
def planted(name: str) -> Iterator[None]:
    """Plant a fault while the block runs."""
    with pytest.MonkeyPatch.context() as patch:
        FAULTS[name].plant(patch)
        yield


# The client's


@fault("a resolver is settled by a permission with which no call was made", script=badly_placed_again("queues"))
@fault("a resolver is settled by a permission whose call's error was swallowed", script=badly_placed_again("swallows"))
def settled_by_giving(patch: Patch) -> None:
    give = ResolverBase._give

    def given(self: ResolverBase[Any]) -> Any:
        permission, before = give(self)
        cast(ResolutionState, self._resolving).settled = True
        return permission, before

    patch.setattr(ResolverBase, "_give", given)


@fault("a permission stays when what it let leave has an unknown outcome", "asked anew")
def permission_kept(patch: Patch) -> None:
    patch.setattr(ResolutionState, "after_giving", lambda self, now, longest_call: self)
    patch.setattr(ResolverBase, "_read_end", lambda self: None)


@fault("a permission is stored, and the process that takes the resolver up uses it", "stored permission")
def permission_stored(patch: Patch) -> None:
    write, read = resolver.stored, ClientCore._stored

    def stored(of: ResolutionState, owner: Any) -> str:
        at = of.permitted.wall.isoformat() if of.permitted is not None else None
        return json.dumps({**json.loads(write(of, owner)), "permitted": at})

    def taken_up(self: ClientCore[Any], text: str) -> ResolutionState:
        at = json.loads(text).get("permitted")
        made = read(self, text)
        made.permitted = Moment(datetime.fromisoformat(at), self._clock.monotonic()) if at else None
        return made

    patch.setattr(resolver, "stored", stored)
    patch.setattr(ClientCore, "_stored", taken_up)


@fault("nothing is stored before an order is placed again", script=killed_while_placing_again)
def nothing_stored_first(patch: Patch) -> None:
    give = Resolver.permission
    patch.setattr(Resolver, "permission", lambda self, *, store: give(self, store=lambda text: None))


@fault("the clocks of two hosts measure the five minutes", script=late_and_asked_by_two_hosts)
def hosts_apart(patch: Patch) -> None:
    patch.setattr(
        ResolutionState, "_left_of_gap", lambda self, first, asked, now, date: self._gap - (asked.wall - first.at)
    )
    patch.setattr(ResolutionState, "_goes_back", lambda self, first, asked, date: False)


@fault("one not-there is enough to place an order again", script=late_and_asked_once)
def no_interval(patch: Patch) -> None:
    patch.setattr(ResolutionState, "_gap", property(lambda self: timedelta()))
    patch.setattr(ResolutionState, "permitted_for", property(lambda self: timedelta(days=1)))
    absent = ResolutionState.absent

    def first(self: ResolutionState, asked: Moment, now: Moment, date: datetime | None = None) -> None:
        absent(self, asked, now, date)
        self.permitted = now if self.placeable else None

    patch.setattr(ResolutionState, "absent", first)


@fault("a permission that is over still lets an order leave", "hanging job")
def late_send(patch: Patch) -> None:
    patch.setattr(Permission, "sending", lambda self, call, content: None)


@fault("another order under the same key is taken for this one", script=another_amount_after_a_backup)
def content_not_compared(patch: Patch) -> None:
    patch.setattr(resolving, "differences", lambda operation, content, payload: ())
    patch.setattr(core, "answer_differs", lambda *given: False)


@fault("a key that was placed before is taken for a refusal", script=clicks("duplicated"))
def repeat_is_refusal(patch: Patch) -> None:
    judge = core.RequestCodec.refusal

    def judged(self: core.RequestCodec, *given: Any) -> PaywrightError:
        error = judge(self, *given)
        if isinstance(error, AlreadyPlaced):
            return GatewayError(operation=error.operation, code=error.code or "", key=error.key, write=True)
        return error

    patch.setattr(core.RequestCodec, "refusal", judged)


@fault("signatures are not looked at", script=clicks("forged yes, not forwarded"))
def not_verified(patch: Patch) -> None:
    def verify(self: object, body: bytes, signature: str, /) -> VerifiedBytes:
        return UnsignedAnswers().verify(body, "")

    patch.setattr(model_gateway.CheapVerifier, "verify", verify)


@fault("an answer about another key is taken for one about this", script=clicks("another's answer, not forwarded"))
def echoes_not_compared(patch: Patch) -> None:
    patch.setattr(Prepared, "check_echoes", lambda prepared, struct, data: None)
    content_not_compared(patch)


@fault("whatever breaks was not sent", script=clicks("answer lost"))
def all_not_sent(patch: Patch) -> None:
    patch.setattr(TransportFailure, "body_started", property(lambda self: False))
    patch.setattr(calling, "_LEFT", frozenset())


# Of shops


@fault(
    "place stores a state whatever was there before, as docs/outcomes.md once did",
    script=clicks(again=True, keys="late", shown_after=150.0),
)
def old_place(patch: Patch) -> None:
    def place(client: Client, table: PaymentTable, kind: str, key: str, request: Request) -> Payment:
        table.add(kind, key, request)

        def store(state: str, resolver: str | None = None) -> None:
            table._db.execute(
                "UPDATE payments SET state = ?, resolver = ?, due = ? WHERE kind = ? AND key = ?",
                (state, resolver, table.now(), kind, key),
            )

        store("sending")
        try:
            shop.KINDS[kind].send(client, key, request)
        except (OutcomeUnknown, UnreadableAnswer):
            store("unknown", shop.KINDS[kind].resolve(client, key, request, None))
        except NotSent:
            store("not_sent")
        except GatewayError:
            store("refused")
        else:
            store("accepted")
        return table.get(kind, key)

    patch.setattr(shop, "place", place)


@fault("a row is written when the call has ended, and not before", script=killed_click(2))
def stored_late(patch: Patch) -> None:
    place = shop.place

    def late(client: Client, table: PaymentTable, kind: str, key: str, request: Request) -> Payment | None:
        if table._db.execute("SELECT 1 FROM payments WHERE kind = ? AND key = ?", (kind, key)).fetchone():
            return place(client, table, kind, key, request)
        try:
            shop.KINDS[kind].send(client, key, request)
        except (NotSent, GatewayError):
            return None
        except (OutcomeUnknown, UnreadableAnswer):
            pass
        table.add(kind, key, request)
        begun = table.begin(table.get(kind, key))
        assert begun is not None
        resolver = shop.KINDS[kind].resolve(client, key, request, None)
        table.change(begun, state="unknown", resolver=resolver, due=table.now())
        return None

    patch.setattr(shop, "place", late)


@fault("what is unknown is sent once more, with a new key", script=clicks("answer lost"))
def new_key(patch: Patch) -> None:
    def again(client: Client, table: PaymentTable, payment: Payment) -> None:
        kind, request = shop.KINDS[payment.kind], json.loads(payment.request)
        try:
            kind.send(client, payment.key, request)
        except (OutcomeUnknown, UnreadableAnswer):
            kind.send(client, f"{payment.key}_{uuid4().hex[:4]}", request)
        else:
            table.change(payment, state="accepted", due=table.now())

    patch.setattr(shop, "send", again)


@fault("what is unknown is sent once more, with the same key", script=clicks("answer lost"))
def blind_retry(patch: Patch) -> None:
    def again(client: Client, table: PaymentTable, payment: Payment) -> None:
        kind, request = shop.KINDS[payment.kind], json.loads(payment.request)
        try:
            kind.send(client, payment.key, request)
        except (OutcomeUnknown, UnreadableAnswer, NotSent):
            table.change(payment, state="not_sent")
        except GatewayError:
            table.change(payment, state="refused")
        else:
            table.change(payment, state="accepted", due=table.now())

    patch.setattr(shop, "send", again)


@fault("a program that died in the call is taken for one that sent nothing", script=killed_click(5))
def dead_is_not_sent(patch: Patch) -> None:
    resolve = shop.resolve

    def forgiving(client: Client, table: PaymentTable, payment: Payment) -> None:
        if payment.resolver is None:
            table.change(payment, state="not_sent")
        else:
            resolve(client, table, payment)

    patch.setattr(shop, "resolve", forgiving)


@fault("two jobs may be at one payment", script=two_jobs_switched)
def held_twice(patch: Patch) -> None:
    patch.setattr(PaymentTable, "hold", lambda self, payment: self._take(payment, "1"))
    patch.setattr(PaymentTable, "change", _change_without_holder)


@fault("whoever was at a payment may still write to it", "hanging click")
def holder_not_checked(patch: Patch) -> None:
    patch.setattr(PaymentTable, "change", _change_without_holder)


def _change_without_holder(self: PaymentTable, payment: Payment, **columns: object) -> None:
    names = ", ".join(f"{name} = ?" for name in columns)
    self._db.execute(
        f"UPDATE payments SET {names} WHERE kind = ? AND key = ?", (*columns.values(), payment.kind, payment.key)
    )


@fault("a refusal of placing it again is taken for a refusal of the order", script=refused_while_the_first_stands)
def refused_again(patch: Patch) -> None:
    change = PaymentTable.change

    def final(self: PaymentTable, payment: Payment, **columns: Any) -> None:
        if columns.get("wanted") == 0:
            change(self, payment, state="refused")
            raise NotHeld
        change(self, payment, **columns)

    patch.setattr(PaymentTable, "change", final)


@fault("a payment that cannot be settled ends the run of the job", "bad row")
def no_row_by_itself(patch: Patch) -> None:
    def settle(client: Client, table: PaymentTable) -> None:
        for listed in table.due():
            payment = table.hold(listed)
            if payment is not None:
                (shop.look if payment.state == "accepted" else shop.resolve)(client, table, payment)

    patch.setattr(shop, "settle", settle)
