"""Whole worlds: drawn by seed, small ones in all their courses, and ones with a fault planted in the product."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paywright_sandbox.init import make_folder
from tests.support.packages import PACKAGES
from tests.world.__main__ import main
from tests.world.explore import explored
from tests.world.planted import PLANTED, planted
from tests.world.play import Failure, Played, play_some, played, shrunk
from tests.world.scheduler import Choices
from tests.world.world import Limits, World

AT_ONCE = 10
NEVER = float("inf")
HARD = Limits(orders=2, death=0.01, disk=0.005, lost=0.3, clocks=0.2, pause=0.01, audited=0.0)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sandbox's keys."""
    made = tmp_path_factory.mktemp("world")
    make_folder(made)
    return made


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """The product warns of what the worlds do to it."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(before)


def whole(folder: Path, seeds: range, limits: Limits, record_property: Any) -> None:
    done = play_some(folder, seeds, limits, NEVER)
    if done.failure is not None:
        pytest.fail(shrunk(folder, done.failure, limits).told(limits))
    record_property("count: worlds played to their end", done.worlds)
    record_property("count: orders in them", done.worlds * limits.orders)


@pytest.mark.parametrize("part", range(15))
def test_drawn_worlds_have_no_violation(part: int, folder: Path, record_property: Any) -> None:
    whole(folder, range(part * AT_ONCE, (part + 1) * AT_ONCE), HARD if part % 3 == 2 else Limits(), record_property)


@pytest.mark.full
@pytest.mark.parametrize("part", range(500))
def test_ten_thousand_worlds_have_none(part: int, folder: Path, record_property: Any) -> None:
    whole(folder, range(1000 + part * 20, 1020 + part * 20), HARD if part % 3 == 2 else Limits(), record_property)


# Small worlds, in all their courses

ALONE = Limits(
    orders=1, people=False, lost=0, death=0, disk=0, network=False, clocks=0, pause=0, handler=0, forged=0, audited=0, harms=1,
    switches=1,
)  # fmt: skip
SMALL = {
    "nothing goes wrong": ALONE,
    "a process dies": ALONE._replace(death=0.1),
    "an exchange is harmed": ALONE._replace(network=True),
    "the disk fails": ALONE._replace(disk=0.1),
    "a notification is late, lost, or comes twice": ALONE._replace(lost=0.1),
    "the handler raises": ALONE._replace(handler=0.1),
    "a stranger notifies": ALONE._replace(forged=0.1),
    "a process stands still": ALONE._replace(pause=0.1, switches=0),
}
LARGER = {
    "whatever people do": ALONE._replace(people=True, switches=0),
    "a process stands still while others go on": ALONE._replace(pause=0.1),
}
LARGEST = {
    "two exchanges are harmed": ALONE._replace(network=True, harms=2),
    "two deaths": ALONE._replace(death=0.1, harms=2, switches=0),
    "whatever people do, and a harmed exchange": ALONE._replace(people=True, network=True, switches=0),
}


SIZES = [
    *SMALL,
    *(pytest.param(name, marks=pytest.mark.slow) for name in LARGER),
    *(pytest.param(name, marks=pytest.mark.full) for name in LARGEST),
]


@pytest.mark.parametrize("name", SIZES)
def test_a_small_world_has_no_course_with_a_violation(name: str, folder: Path, record_property: Any) -> None:
    limits = {**SMALL, **LARGER, **LARGEST}[name]
    found = explored(lambda choices: World(folder, choices, limits))
    assert found.states > 10
    record_property("count: states of small worlds, all of them", found.states)


# What a world finds

WITHIN = 2000
SLOWLY = (
    "what failed is acknowledged",
    "every code but success is a refusal",
    "nobody looks at what is due",
    "no result says that it is paid",
    "every result says that it is paid",
    "what is learned is written without the handler's transaction",
    "a claim of a process that died never ends",
)
"""Found by many worlds, or by one that never ends."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.full if name in SLOWLY else pytest.mark.slow) for name in PLANTED]
)
def test_a_fault_in_the_product_is_found(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with planted(name):
        done = play_some(folder, range(WITHIN), HARD, NEVER)
        assert done.failure is not None
        small = shrunk(folder, done.failure, HARD, most=2 if done.failure.why == "it never ends" else 10)
        assert len(small.choices) <= len(done.failure.choices)
        again = played(folder, small.seed, HARD, small.choices)
        assert isinstance(again, Failure)
        assert again.story == small.story
        command = small.told(HARD).splitlines()[-1].removeprefix("replay it: python -m tests.world ")
        assert main(command.split()) == 1
        assert capsys.readouterr().out == small.told(HARD) + "\n"
    assert isinstance(played(folder, small.seed, HARD, small.choices), World)


def test_counts_of_parts_add_up() -> None:
    failure = Failure(1, [], "", [])
    assert Played(1, 2, 3.0, 4.0) + Played(1, 1, 1.0, 1.0, failure) == Played(2, 3, 4.0, 5.0, failure)


def test_the_same_seed_has_the_same_story_whatever_the_hashes(folder: Path) -> None:
    code = "from pathlib import Path\nfrom tests.world.play import played\nfrom tests.world.world import Limits\n"
    code += f"print('\\n'.join(played(Path({str(folder)!r}), 7, Limits()).story))"
    root = Path(__file__).parents[2]
    stories = set()
    for number in ("0", "1"):
        env = {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{PACKAGES}", "PYTHONHASHSEED": number}
        done = subprocess.run(
            [sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=600, check=True
        )
        stories.add(done.stdout)
    (story,) = stories
    assert story.splitlines() == played_story(folder, 7)


def played_story(folder: Path, seed: int) -> list[str]:
    choices = Choices(seed)
    world = World(folder, choices, Limits())
    world.run()
    return world.story
