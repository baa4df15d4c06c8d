"""The documented samples under the state machine, and every fault of `planted_faults` found by what is to find it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
import shop
from hypothesis.stateful import run_state_machine_as_test

from paywright import Client, InvalidArgument, Permission
from tests.outcomes.model_gateway import Fate
from tests.outcomes.planted_faults import FAULTS, Fault, planted, play
from tests.outcomes.processes import SideBySide
from tests.outcomes.samples_machine import SEEN, SamplesMachine
from tests.outcomes.samples_world import REQUESTS, SamplesWorld, lost_order, samples_world
from tests.support.examples import examples


def run(count: int, steps: int) -> None:
    SEEN.clear()
    run_state_machine_as_test(
        SamplesMachine,
        settings=examples(count, stateful_step_count=steps, database=None, report_multiple_bugs=False),
    )


@pytest.mark.slow
def test_the_samples_charge_once_and_say_what_is_true(record_property: Callable[[str, object], None]) -> None:
    run(100, 30)
    record_property("count: calls of the samples in the state machine", SEEN["calls"])
    each_happened("placed again", "placed before", "attention", "was done")


@pytest.mark.full
def test_the_samples_charge_once_and_say_what_is_true_at_length() -> None:
    run(4000, 40)
    each_happened("placed again", "placed before", "attention", "killed", "refused again", "was sending", "was done")


def each_happened(*names: str) -> None:
    """The rare ones are counted at length alone: what is drawn at random need not hold them."""
    for name in names:
        assert SEEN[name] > 0, f"{name} did not happen, so that nothing is said of it: {SEEN}"


# Finders. Each raises an AssertionError where it finds something, and passes without a fault: see the first test below.


def asked_anew(folder: Path) -> None:
    """After an order was placed again without a verified answer, everything is asked from the beginning, in the same process."""
    with lost_order(folder) as world:
        process = world.process()
        resolver = process.client.resume(world.payment("order").resolver or "")
        world.pass_time(1)
        resolver.step()
        world.pass_time(310)
        assert resolver.step().state == "place_again"
        world.network.fates = ["answer lost"]
        with pytest.raises(shop.OutcomeUnknown):
            shop.checkout(process.client, resolver.key, REQUESTS["order"], resolver.permission(store=str))
        assert resolver.look().state == "query", "an outcome is unknown, and it may be placed again"


def stored_permission(folder: Path) -> None:
    """A permission is used by the process that got it, and by no other that read the resolver before."""
    with lost_order(folder) as world:
        first = world.process()
        resolver = first.client.resume(world.payment("order").resolver or "")
        world.pass_time(1)
        resolver.step()
        world.pass_time(310)
        assert resolver.step().state == "place_again"
        copy = resolver.to_json()
        world.network.fates = ["answer lost"]
        with pytest.raises(shop.OutcomeUnknown):
            shop.checkout(first.client, resolver.key, REQUESTS["order"], resolver.permission(store=str))
        second = world.process()
        other = second.client.resume(copy)
        assert other.look().state != "place_again", "a permission that another process has used"


def hanging_job(folder: Path) -> None:
    """A job stops in the middle of placing again, another one goes on; the first wakes when its permission is over."""
    for step in range(1, 14):
        with lost_order(folder / str(step)) as world:
            world.gateway.keys, world.gateway.shown_after = "late", 150.0
            world.pass_time(1)
            shop.settle(*world.process().both)
            world.pass_time(310)

            def meanwhile(world: SamplesWorld = world) -> None:
                """Until just before the other job's order is shown."""
                while not world.gateway.charges and world.time.seconds < 3600:
                    world.pass_time(20)
                    shop.settle(*world.process().both)

            def hangs(before: Callable[[], None], world: SamplesWorld = world) -> None:
                process = world.process(before=before)
                order = shop.KINDS["order"]

                def send(client: Client, key: str, request: shop.Request, *again: Permission) -> shop.Created:
                    if client is process.client:
                        before()  # between two lines of the merchant's own
                    return order.send(client, key, request, *again)

                with pytest.MonkeyPatch.context() as patch:
                    patch.setitem(shop.KINDS, "order", replace(order, send=send))
                    shop.settle(*process.both)

            SideBySide([hangs]).play([(0, step), meanwhile])
            assert world.charges("order") <= 1, f"charged {world.charges('order')} times, hung at step {step}"


def hanging_click(folder: Path) -> None:
    """A call hangs for longer than its hold; a job settles it meanwhile; what the call then says changes nothing."""
    fates: tuple[Fate, ...] = ("not sent", "answered")
    for number, (step, fate) in enumerate((step, fate) for step in range(9) for fate in fates):
        with samples_world(folder / str(number)) as world:

            def meanwhile(world: SamplesWorld = world, fate: Fate = fate) -> None:
                world.settle_for(1200)
                world.network.fates = [fate]

            clicks = lambda before, world=world: world.buy("order", world.process(before=before))  # noqa: E731
            SideBySide([clicks]).play([(0, step), meanwhile])
            world.settle_for(3600)
            world.judge("order", told=f"{fate}, hung at step {step}")


def bad_row(folder: Path) -> None:
    """A payment that cannot be settled is kept for a person, and the ones behind it are settled."""
    with lost_order(folder) as world:
        world.network.fates = ["request lost"]
        world.buy("refund", world.process())
        world.execute("UPDATE payments SET resolver = '{', due = 0 WHERE kind = 'refund'")
        try:
            world.settle_for(1200)
        except InvalidArgument as error:
            raise AssertionError("one row ended the run of the job") from error
        assert world.payment("order").state == "done"
        assert "InvalidArgument" in (world.payment("refund").attention or "")


FINDERS: Final[dict[str, Callable[[Path], None]]] = {
    "asked anew": asked_anew,
    "stored permission": stored_permission,
    "hanging job": hanging_job,
    "hanging click": hanging_click,
    "bad row": bad_row,
}


def find(fault: Fault, folder: Path) -> None:
    if fault.script is not None:
        play(fault.script)
    else:
        FINDERS[fault.found_by](folder)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found_when_it_is_put_back_and_only_then(tmp_path: Path, name: str) -> None:
    find(FAULTS[name], tmp_path / "without")
    with planted(name), pytest.raises(AssertionError):
        find(FAULTS[name], tmp_path / "with")
