"""Whole worlds: drawn by seed, and small ones in all their courses."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.support.interpreters import NEEDED, pythons_that
from tests.support.packages import PACKAGES
from tests.world.explore import explored
from tests.world.play import Failure, Played, play_some, played, shrunk
from tests.world.world import Limits, World

NEVER = float("inf")
HARD = Limits(orders=2, death=0.01, disk=0.005, lost=0.3, clocks=0.2, pause=0.01, audited=0.0)
AUDITED = HARD._replace(
    orders=4, shops=1, clocks=0.9, death=0.0, disk=0.0, careless=0.0, closed=0.0, stale=0.0, after_all=0.0, false=0.0, spelled=0.0, handler=0.0, forged=0.0, more=0.0,
    pause=0.0, audited=1.0, audits=8,
)  # fmt: skip


def whole(folder: Path, seeds: range, limits: Limits, record_property: Any) -> None:
    done = play_some(folder, seeds, limits, NEVER)
    if done.failure is not None:
        pytest.fail(shrunk(folder, done.failure, limits).told(limits))
    record_property("count: worlds played to their end", done.worlds)
    record_property("count: orders in them", done.worlds * limits.orders)


@pytest.mark.parametrize("seed", [*range(10), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(10, 40))])
def test_a_drawn_world_has_no_violation(seed: int, folder: Path, record_property: Any) -> None:
    whole(folder, range(seed, seed + 1), HARD if seed % 3 == 2 else Limits(), record_property)


@pytest.mark.slow
@pytest.mark.parametrize("limits", [HARD._replace(clocks=1.0), AUDITED], ids=["played", "audited"])
@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.full) for part in range(1, 100))])
def test_worlds_whose_clock_is_wrong_have_none(part: int, limits: Limits, folder: Path, record_property: Any) -> None:
    whole(folder, range(part * 10, part * 10 + 10), limits, record_property)


@pytest.mark.full
@pytest.mark.parametrize("part", range(500))
def test_ten_thousand_worlds_have_none(part: int, folder: Path, record_property: Any) -> None:
    whole(folder, range(1000 + part * 20, 1020 + part * 20), HARD if part % 3 == 2 else Limits(), record_property)


# Small worlds, in all their courses

NOTHING = dict.fromkeys(
    ("death", "disk", "throttled", "lost", "clocks", "apart", "handler", "forged", "after_all", "stale", "false", "spelled", "careless", "closed", "more",
     "audited", "pause"), 0.0,
)  # fmt: skip
ALONE = Limits(orders=1, shops=1, people=False, network=False, harms=1, switches=1)._replace(**NOTHING)
SMALL = {
    "nothing goes wrong": ALONE,
    "the disk fails": ALONE._replace(disk=0.1),
    "the handler raises": ALONE._replace(handler=0.1),
    "a stranger notifies": ALONE._replace(forged=0.1),
    "a process stands still": ALONE._replace(pause=0.1, switches=0),
    "a stale replica answers": ALONE._replace(stale=0.1),
    "a notification has another amount": ALONE._replace(false=0.1),
}
LARGER = {
    "a process dies": ALONE._replace(death=0.1),
    "a notification is late, lost, or comes twice": ALONE._replace(lost=0.1),
    "an exchange is harmed": ALONE._replace(network=True),
    "a process stands still while others go on": ALONE._replace(pause=0.1),
}
LARGEST = {
    "whatever people do": ALONE._replace(people=True, switches=0),
    "two exchanges are harmed": ALONE._replace(network=True, harms=2),
    "two deaths": ALONE._replace(death=0.1, harms=2, switches=0),
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


# What is told


def test_counts_of_parts_add_up() -> None:
    failure = Failure(1, [], "", [])
    assert Played(1, 2, 3.0, 4.0) + Played(1, 1, 1.0, 1.0, failure) == Played(2, 3, 4.0, 5.0, failure)


SEED = 10
STORY = f"""
from pathlib import Path
from sys import argv
from tests.world.play import played
from tests.world.world import Limits
print("\\n".join(played(Path(argv[1]), {SEED}, Limits(audited=1.0)).story))
"""


def story_by(python: str, folder: Path, hashes: str) -> list[str]:
    """The story that another process tells."""
    root = Path(__file__).parents[2]
    env = {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{PACKAGES}", "PYTHONHASHSEED": hashes}
    done = subprocess.run(
        [python, "-c", STORY, folder], env=env, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@cache
def has_what_it_needs(python: Path) -> bool:
    code = f"{NEEDED}; import greenlet, jinja2, yaml"
    return subprocess.run([python, "-c", code], capture_output=True, timeout=60, check=False).returncode == 0


@pytest.mark.slow
def test_the_same_seed_has_the_same_story_whatever_the_hashes(folder: Path) -> None:
    story = told_here(folder)
    assert len(story) > 20
    assert story_by(sys.executable, folder, "1" if os.environ.get("PYTHONHASHSEED") == "0" else "0") == story


@pytest.mark.slow
def test_and_by_every_other_python(folder: Path) -> None:
    others = [path for path in pythons_that(has_what_it_needs).values() if path != Path(sys.executable)]
    if not others:
        pytest.skip("no other Python has what a world needs: name one in TEST_PYTHONS")
    assert all(story_by(str(python), folder, "2") == told_here(folder) for python in others)


def told_here(folder: Path) -> list[str]:
    found = played(folder, SEED, Limits(audited=1.0))
    assert isinstance(found, World)
    return found.story
