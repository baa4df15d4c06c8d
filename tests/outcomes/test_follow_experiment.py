"""Orders and refunds followed while notifications are lost, answers harmed and processes killed; `make soak` has it at length."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.outcomes.follow_experiment import followed
from tests.outcomes.follow_tally import MOST_ABOVE, FollowTally
from tests.outcomes.soak_follow import postgres


def nothing_is_wrong(tally: FollowTally) -> None:
    assert tally.harm == {}
    assert tally.settled == tally.orders + tally.refunds + tally.links
    assert tally.killed_followers + tally.killed_receivers > 0
    assert tally.harmed > 0
    assert tally.dropped > 0
    assert tally.above <= MOST_ABOVE, tally.report()
    assert tally.shop_sums.keys() == {"SUCCESS", "FAILED", "BOUNCEBACK", "REFUND_SUCCESS", "REFUND_FAILED", "EXPIRED"}


@pytest.mark.slow
def test_every_order_and_refund_has_its_effect_once_whatever_is_lost(folder: Path, record_property: Any) -> None:
    tally = followed(200, "followed", folder, kills=0.01)
    nothing_is_wrong(tally)
    assert tally.naive_questions / tally.naive_orders > 2 * tally.questions / tally.orders
    record_property(
        "counts", f"{tally.settled:>8,}  orders and refunds followed, {tally.above:.2f} questions above an oracle"
    )


@pytest.mark.full
def test_it_has_them_once_on_postgresql_too(folder: Path) -> None:
    with postgres() as server:
        if not server:
            pytest.skip("PostgreSQL's server or psycopg is not installed")
        nothing_is_wrong(followed(200, "followed", folder, server, kills=0.01))


_SQL = "CREATE TRIGGER planted AFTER INSERT ON {} WHEN NEW.key LIKE '%3' BEGIN {} END"
PLANTED = {
    "effects twice": _SQL.format("effects", "INSERT INTO effects SELECT * FROM effects WHERE rowid = NEW.rowid;"),
    "effects that never came": _SQL.format("effects", "DELETE FROM effects WHERE rowid = NEW.rowid;"),
    "effects that the gateway does not have": _SQL.format(
        "effects", "UPDATE effects SET state = 'BOUNCEBACK' WHERE rowid = NEW.rowid;"
    ),
    "sums that differ": _SQL.format("effects", "UPDATE effects SET amount = amount + 0.01 WHERE rowid = NEW.rowid;"),
    "cents by which the merchant's balance differs": _SQL.format(
        "effects", "UPDATE effects SET paid = 0 WHERE rowid = NEW.rowid;"
    ),
    "forgotten": _SQL.format("things", "INSERT INTO things VALUES ('written, and never opened');"),
}


@pytest.mark.slow
@pytest.mark.parametrize("harm", PLANTED)
def test_the_experiment_finds_what_a_faulty_shop_does(harm: str, folder: Path) -> None:
    assert harm in followed(12, "planted", folder, kills=0.0, planted=PLANTED[harm]).harm


def test_what_is_open_or_above_the_goal_is_harm() -> None:
    assert FollowTally(open=1).harm == {"open at the end": 1}
    assert FollowTally(orders=10, questions=16, oracle=2).above > MOST_ABOVE


@pytest.mark.slow
def test_handler_record_and_gateway_agree_to_the_last_digit_when_nearly_half_of_the_notifications_are_lost(
    folder: Path,
) -> None:
    tally = followed(500, "nearly half", folder, kills=0.01, lost=0.45)
    assert tally.harm == {}
    assert tally.dropped > 0.4 * tally.orders
    assert (tally.records, tally.balance) == (0, tally.gateway_balance)
