"""Money moves once, whatever breaks: a shop that follows the rules comes to no harm where others do.

Somebody in the middle strikes 40 % of all calls, in nearly fifty ways. What the shop believes at the end is compared with
the gateway's own books.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.outcomes.experiment import careful, naive
from tests.outcomes.naive_shop import HABITS
from tests.outcomes.places import Way
from tests.outcomes.truth import Tally


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "count", "seed"),
    [
        *(("in process", 700, f"test-{number}") for number in range(3)),
        ("sandbox faults", 300, "test"),
        ("sockets", 160, "test"),
        ("tls", 70, "test"),
    ],
)
def test_a_shop_that_follows_the_rules_comes_to_no_harm(
    folder: Path, record_property: Callable[[str, object], None], way: Way, count: int, seed: str
) -> None:
    tally = careful(way, count, seed, folder)
    assert tally.harm == {}, tally
    assert tally.placed + tally.failed + tally.unknown == tally.intents
    assert len(tally.struck) > 20 or way == "sandbox faults"
    assert sum(tally.struck.values()) > 0.3 * tally.calls, "the harm was there"
    note(record_property, tally)


def note(record_property: Callable[[str, object], None], tally: Tally) -> None:
    record_property("count: orders, refunds and exchanges under harm", tally.intents)
    record_property("count: calls under harm", tally.calls)
    record_property("count: calls that were struck", sum(tally.struck.values()))
    record_property("count: outcomes that are reported unknown, with their key", tally.unknown)
    record_property("count: orders that were placed again", tally.placed_again)
    record_property("count: calls that were not sent", tally.not_sent)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["in process", "sockets"])
def test_shops_without_the_rules_come_to_harm_where_that_one_comes_to_none(
    folder: Path, record_property: Callable[[str, object], None], way: Way
) -> None:
    """The same run, with the same harm: so that the test above can fail."""
    count = 300 if way == "in process" else 60
    rules = careful(way, count, "side by side", folder)
    without = {habit: naive(habit, way, count, "side by side", folder) for habit in HABITS}
    assert rules.harm == {}
    assert without["new key"].double > 0
    assert without["one not-there"].failed_but_charged > 0
    assert without["any body"].failed_but_charged > 0
    assert without["any body"].placed_not_charged > 0 or way == "sockets"
    note(record_property, rules)
    for habit, tally in without.items():
        record_property(f"count: harm to the shop of the habit {habit!r}", tally.money_harm)
