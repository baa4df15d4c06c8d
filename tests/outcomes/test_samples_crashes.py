"""The documented samples, killed between any two steps, run twice and side by side: money moves once, and nothing is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Final

import pytest
import shop

from tests.outcomes.model_gateway import FATES, Fate
from tests.outcomes.processes import Killed, Process, SideBySide
from tests.outcomes.samples_world import SamplesWorld, samples_world


@pytest.fixture
def worlds(tmp_path: Path) -> Iterator[Callable[[], SamplesWorld]]:
    with ExitStack() as stack:
        numbers = count()
        yield lambda: stack.enter_context(samples_world(tmp_path / str(next(numbers))))


def killed(do: Callable[[], object]) -> bool:
    try:
        do()
    except Killed:
        return True
    return False


EVERY_KIND = pytest.mark.parametrize("kind", ["order", "refund", "exchange"])
# An order may be placed again, a refund never: what is side by side differs in that alone.
BOTH_KINDS = pytest.mark.parametrize("kind", ["order", "refund"])


@pytest.mark.slow
@EVERY_KIND
@pytest.mark.parametrize("fate", FATES)
def test_placing_may_be_killed_at_any_step(worlds: Callable[[], SamplesWorld], kind: str, fate: Fate) -> None:
    for again in (False, True):
        for step in range(30):
            world = worlds()
            world.network.fates = [fate]
            process = world.process(step)
            over = not killed(lambda world=world, process=process: world.buy(kind, process))
            if again:
                world.buy(kind, world.process())  # a second click, in another process, at once
            told = f"{fate}, killed at step {step}, {'clicked again' if again else 'left'}"
            world.settle_for(7200)
            world.judge(kind, told=told)
            if over:
                break
        else:
            raise AssertionError("it never came to its end")


@pytest.mark.slow
@EVERY_KIND
@pytest.mark.parametrize("fate", ["answered", "request lost", "answer lost", "late"])
def test_settling_may_be_killed_at_any_step_of_any_run(
    worlds: Callable[[], SamplesWorld], kind: str, fate: Fate
) -> None:
    """The first four runs of the job that find something to do, each killed at each of its steps; then it goes on."""
    for run in range(4):
        for step in range(40):
            world = worlds()
            world.network.fates = [fate]
            world.buy(kind, world.process())
            over = killed_in_run(world, run, step)
            world.settle_for(7200)
            world.judge(kind, told=f"{fate}, run {run} killed at step {step}")
            if over:
                break


def killed_in_run(world: SamplesWorld, run: int, step: int) -> bool:
    """Run the job each minute, and kill the given run of those that have something to do. Whether it ended before it was killed."""
    runs = 0
    for _ in range(60):
        world.pass_time(60)
        job = world.process()
        if not job.table.due():
            continue
        if runs == run:
            job.live_for(step)
            return not killed(lambda job=job: shop.settle(*job.both))
        shop.settle(*job.both)
        runs += 1
    return True


def side_by_side(
    world: SamplesWorld, doings: list[Callable[[Process], object]], plan: list[tuple[int, int] | Callable[[], None]]
) -> None:
    functions = [
        lambda before, do=do: do(world.process(before=before)) for do in doings  # each in a process of its own
    ]
    SideBySide(functions).play(plan)


CUTS: Final = [(first, second, third) for first in range(9) for second in range(1, 9) for third in (1, 2, 4)]


@pytest.mark.slow
@BOTH_KINDS
@pytest.mark.parametrize("fate", ["answered", "answer lost", "not sent"])
def test_two_clicks_side_by_side_send_once(worlds: Callable[[], SamplesWorld], kind: str, fate: Fate) -> None:
    """Two processes, switched between at up to four places."""
    for first, second, third in CUTS:
        world = worlds()
        world.network.fates = [fate]
        both: list[Callable[[Process], object]] = [lambda process, world=world: world.buy(kind, process)] * 2
        side_by_side(world, both, [(0, first), (1, second), (0, third)])
        told = f"{fate}, switched after {first}, {second} and {third} steps"
        assert world.charges(kind) <= 1, told
        sent = [path for path, _ in world.network.reached if "Qry" not in path and "Query" not in path]
        assert len(sent) <= 1, f"the call was made {len(sent)} times, {told}"
        assert len(sent) == 1 or fate == "not sent", told
        world.settle_for(3600)
        world.judge(kind, told=told)


@pytest.mark.slow
@BOTH_KINDS
@pytest.mark.parametrize("fate", ["request lost", "answer lost"])
def test_two_jobs_side_by_side_settle_once(worlds: Callable[[], SamplesWorld], kind: str, fate: Fate) -> None:
    """Each run of the job is two runs, switched between at up to four places."""
    for first, second, third in CUTS[::3]:
        world = worlds()
        world.network.fates = [fate]
        world.buy(kind, world.process())
        for _ in range(20):
            world.pass_time(60)
            if not world.process().table.due():
                continue
            both: list[Callable[[Process], object]] = [lambda process: shop.settle(*process.both)] * 2
            side_by_side(world, both, [(0, first), (1, second), (0, third)])
        judge_later(world, kind, f"{fate}, switched after {first}, {second} and {third} steps")


def judge_later(world: SamplesWorld, kind: str, told: str) -> None:
    world.settle_for(3600)
    world.judge(kind, told=told)


@pytest.mark.slow
@BOTH_KINDS
@pytest.mark.parametrize("fate", ["answered", "request lost", "answer lost"])
def test_a_program_that_hangs_in_the_call_is_taken_over_and_may_wake_up(
    worlds: Callable[[], SamplesWorld], kind: str, fate: Fate
) -> None:
    """It stops at each of its steps for longer than its hold; meanwhile the job settles, for a while or to the end."""
    for step in range(13):
        for minutes in (6, 11, 30):
            world = worlds()
            world.network.fates = [fate] if step > 5 else []

            def settle_meanwhile(world: SamplesWorld = world, minutes: int = minutes) -> None:
                world.settle_for(60 * minutes)

            side_by_side(world, [lambda process, world=world: world.buy(kind, process)], [(0, step), settle_meanwhile])
            judge_later(world, kind, f"{fate}, hung at step {step} for {minutes} minutes")
