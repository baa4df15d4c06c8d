"""Faults planted in the product, one at a time: a world finds each, and its story leads to it again.

The slow tests plant every sixth of them, the full ones all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.world.__main__ import main
from tests.world.planted import PLANTED, planted
from tests.world.play import Failure, play_some, played, shrunk
from tests.world.test_world import AUDITED, HARD, NEVER
from tests.world.world import Limits, World

ODD = HARD._replace(after_all=0.6, stale=0.05, false=0.1, spelled=0.1, more=0.2)
APART = AUDITED._replace(orders=2, clocks=0.0, apart=1.0, harmful=4.0, lost=0.1, audits=2)
CROSSING = HARD._replace(
    orders=3, shops=1, network=False, death=0.0, disk=0.0, more=0.0, stale=0.0, after_all=0.0, pause=0.1
)

WITHIN = 2000


def limits_for(name: str) -> Limits:
    """Where a fault is looked for: the newer ones and the audit's in worlds with more of what shows them."""
    at, names = PLANTED[name], list(PLANTED.values())
    if name == "an answer that crossed a notification is dropped":
        return CROSSING
    if name == "clocks of two hosts are one":
        return APART
    if any("paywright_audit" in target for target in at):
        return AUDITED
    return ODD if names.index(at) >= list(PLANTED).index("nobody looks for what has another address") else HARD


def test_each_fault_has_a_place_in_the_product() -> None:
    for name in PLANTED:
        with planted(name):
            pass


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.full] if at % 6 else []) for at, name in enumerate(PLANTED)]
)
def test_a_fault_in_the_product_is_found(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    limits = limits_for(name)
    with planted(name):
        done = play_some(folder, range(WITHIN), limits, NEVER)
        assert done.failure is not None
        assert "broke off with TypeError" not in done.failure.why  # then the fault fits the product no more
        assert "broke off with AttributeError" not in done.failure.why
        small = shrunk(folder, done.failure, limits, most=2 if done.failure.why == "it never ends" else 10)
        assert len(small.choices) <= len(done.failure.choices)
        again = played(folder, small.seed, limits, small.choices)
        assert isinstance(again, Failure)
        assert again.story == small.story
        command = small.told(limits).splitlines()[-1].removeprefix("replay it: python -m tests.world ")
        assert main(command.split()) == 1
        assert capsys.readouterr().out == small.told(limits) + "\n"
    assert isinstance(played(folder, small.seed, limits, small.choices), World)
