"""A follow as JSON: what was written is read, for its owner; everything else is refused with words."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from paywright import InvalidArgument, contract
from paywright_receiver.items.follow_state import FollowState
from paywright_receiver.items.open_items import Item
from paywright_receiver.items.stored_follow import FOLLOWING
from paywright_runtime.clock import Moment
from paywright_runtime.settling.stored_document import Owner, stored, taken_up
from tests.receiver.helpers.notices import OWNER, notice, stored_item
from tests.receiver.helpers.notices import taken_up_from as read

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
NOW = Moment(NOON, 0.0)


def follow(kind: str = "orders", **options: object) -> FollowState:
    return FollowState(contract.CONTRACT, kind, "KEY_1", NOW, **options)  # type: ignore[arg-type]  # by name


def kept(state: FollowState) -> Item:
    return stored_item(state, NOW)


ABSENT = object()


def harmed(item: Item, member: str, value: object) -> Item:
    """The item with another value of a member in its document."""
    column = "content" if member in FOLLOWING.elsewhere else "follow"
    document = {**json.loads(getattr(item, column)), member: value}
    text = json.dumps({name: one for name, one in document.items() if one is not ABSENT})
    return item._replace(content=text) if column == "content" else item._replace(follow=text)


@pytest.mark.parametrize("kind", list(contract.followed()))
def test_each_kind_is_read_as_it_was_written(kind: str) -> None:
    state = follow(kind, expires_at=NOON + timedelta(hours=1))
    again = read(kept(state))
    assert kept(again) == kept(state)
    assert again.step(NOW) == state.step(NOW)
    assert (again.kind, again.question, again.query) == (state.kind, state.question, state.query)


def test_what_was_learned_is_read_with_the_resolution_that_goes_on() -> None:
    state = follow(unknown=True, content={"totalAmount": "1", "currency": "USD"})
    state.absent(NOW, NOW)
    notice(state, NOW)
    again = read(kept(state))
    assert again.unknown
    assert kept(again) == kept(state)
    later = Moment(NOON + timedelta(seconds=601), 601.0)
    again.absent(later, later)
    assert again.step(later).state == "place_again"


def test_no_body_and_no_secret_is_stored() -> None:
    state = follow()
    shown = {"outTradeNo": "KEY_1", "status": "SUCCESS", "trade": {"amount": "10.50", "currency": "USD"}}
    state.found({**shown, "redeemCode": "PIN-1234", "notifyEmail": "a@b.example"}, NOW)
    text = repr([*kept(state)])
    assert "PIN-1234" not in text
    assert "a@b.example" not in text


WHOLE = kept(follow(unknown=True))
"""Of an unknown write nothing is left out."""
SHORT = kept(follow())
MEMBERS = sorted({*json.loads(WHOLE.follow), *json.loads(WHOLE.content)})
MAY_BE_NULL = {
    "absent_at", "absent_dated", "asked_at", "closed_at", "closed_state", "code", "expires_at", "given_at", "hinted_at", "operation",
    "stateless_since",
}  # fmt: skip


@pytest.mark.parametrize("member", MEMBERS)
@pytest.mark.parametrize("harm", ["absent", "null", "a list", "a number", "a text"])
@pytest.mark.parametrize("item", [WHOLE, SHORT], ids=["whole", "short"])
def test_a_harmed_document_is_refused_and_nothing_else_is_raised(member: str, harm: str, item: Item) -> None:
    was_there = json.loads(item.follow).get(member) is not None
    values = {"absent": ABSENT, "null": None, "a list": ["x"], "a number": -1, "a text": "\x00?"}
    found = harmed(item, member, values[harm])
    if harm == "a list" and member in ("ends", "foreign", "keys"):
        assert set(getattr(read(found), member)) == {"x"}
    elif (harm == "null" and member in MAY_BE_NULL) or (harm == "a text" and member == "last"):
        read(found)
    elif harm == "a text" and member in ("closed_state", "code"):
        assert getattr(read(found), member) == "\x00?"
    elif harm == "absent" and item == SHORT and member == "operation":
        read(found)  # as with null: the usual one
    elif harm == "absent" and item == SHORT and not (was_there or member in FOLLOWING.elsewhere):
        assert kept(read(found)) == SHORT
    else:
        with pytest.raises(InvalidArgument):
            read(found)


def test_only_what_is_no_unknown_write_leaves_out_what_is_usual_or_in_a_column() -> None:
    members = FOLLOWING.fields.keys() - FOLLOWING.elsewhere
    state = follow(unknown=True)
    assert json.loads(kept(state).follow).keys() == members | {FOLLOWING.mark}
    state.placed(NOW)
    left_out = members - json.loads(kept(state).follow).keys()
    assert {"claimed", "expires_at", "given_for", "keys", "last", "since", "started_at"} <= left_out
    assert left_out <= FOLLOWING.usual.keys() | {"keys", "last", "since", "started_at"}
    assert kept(read(kept(state))) == kept(state)
    state.keys, state.since, state.last = ("KEY_1", "key_1"), NOON - timedelta(1), "another reason"
    assert vars(read(kept(state))) == vars(state)


TIMES = [
    "9999-12-31T23:59:59+00:00", "9999-12-31T23:59:59-23:59", "9990-01-01T00:00:00+00:00", "9001-01-01T00:00:00+00:00",
    "0001-01-01T00:00:00+00:00", "0001-01-01T00:00:00+23:59", "1899-12-31T00:00:00+00:00",
]  # fmt: skip


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize("member", [name for name in MEMBERS if name.endswith(("_at", "dated", "since"))])
def test_a_time_from_which_none_can_be_counted_is_refused_with_words(member: str, time: str) -> None:
    found = harmed(SHORT, member, time)
    if member == "since":  # what it is where no document says it
        member, found = "opened_at", SHORT._replace(opened_at=datetime.fromisoformat(time))
    with pytest.raises(
        InvalidArgument, match=rf"This item has {member} in the year {int(time[:4])}, .* Nothing was sent\."
    ):
        read(found)


@pytest.mark.parametrize("count", [10**9 + 1, 2**63, 10**20])
def test_a_number_that_nothing_has_counted_to_is_refused(count: int) -> None:
    given = harmed(WHOLE, "given_at", NOON.isoformat())
    for found in (harmed(WHOLE, "answers", count), harmed(given, "given_for", count)):
        with pytest.raises(InvalidArgument, match=r"not what a follower wrote"):
            read(found)


@pytest.mark.parametrize("kind", list(contract.followed()))
def test_an_item_that_stays_open_for_ever_is_read_as_it_was_written(kind: str) -> None:
    state = follow(kind, expires_at=datetime.max.replace(tzinfo=UTC))
    late = Moment(datetime(8999, 12, 31, 23, 59, 59, tzinfo=UTC), 0.0)
    state.step(late)
    state.found({}, late)
    assert kept(read(kept(state))) == kept(state)


TRUE_FOR_ONE = harmed(SHORT, FOLLOWING.mark, True).follow


@pytest.mark.parametrize("text", ["", "null", "[]", "{}", "7", '"x"', "{" * 100_000, TRUE_FOR_ONE, "\ud800"])
def test_what_is_no_follow_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgument, match=r"This is not what a follower wrote"):
        read(SHORT._replace(follow=text))


@pytest.mark.parametrize("version", [0, FOLLOWING.version + 1])
def test_another_version_is_refused_with_words(version: int) -> None:
    with pytest.raises(InvalidArgument, match="This item was stored by another version"):
        read(harmed(SHORT, FOLLOWING.mark, version))


@pytest.mark.parametrize(
    "owner",
    [
        Owner({"app_id": "app_2", "merchant_no": "M1"}, OWNER.address),
        Owner({"app_id": "app_1", "merchant_no": "M2"}, OWNER.address),
        Owner({}, OWNER.address),
        Owner(OWNER.merchant, "http://127.0.0.1:8787"),
    ],
)
def test_an_item_of_another_merchant_or_address_is_refused(owner: Owner) -> None:
    with pytest.raises(InvalidArgument, match="This item belongs to app_id app_1"):
        read(SHORT, owner)


def test_an_open_item_without_a_time_would_be_forgotten_and_is_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"not what a follower wrote"):
        read(harmed(SHORT, "next_at", None))


def test_a_resolver_is_no_follow_and_a_follow_no_resolver() -> None:
    state = follow(unknown=True)
    with pytest.raises(InvalidArgument, match=r"not what a follower wrote"):
        read(WHOLE._replace(follow=stored(state, OWNER)))
    with pytest.raises(InvalidArgument, match=r"not what Resolver\.to_json wrote"):
        taken_up(contract.CONTRACT, WHOLE.follow, OWNER)


@pytest.mark.parametrize(
    ("kind", "key", "words"),
    [
        ("cases", "K", "nothing to follow that is called 'cases'"),
        ("order", "K", "Did you mean orders"),
        ("orders", "", "The key of orders"),
        ("orders", 7, "The key of orders"),
    ],
)
def test_an_unknown_kind_or_key_is_refused_with_words(kind: str, key: object, words: str) -> None:
    with pytest.raises(InvalidArgument, match=words):
        FollowState(contract.CONTRACT, kind, key, NOW)  # type: ignore[arg-type]  # what is refused


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        ("orders", {"operation": "refunds.create"}, "makes nothing that is followed as orders"),
        ("withdrawals", {"operation": "orders.checkout"}, "makes nothing that is followed as withdrawals"),
        ("withdrawals", {"content": {"currency": "USD"}}, "there is no content to compare"),
        ("withdrawals", {"unknown": True}, "nothing of it can be unknown"),
        ("orders", {"content": {"subject": "Tickets"}}, r"The answers of orders\.checkout show"),
        ("orders", {"expires_at": datetime(2025, 6, 1)}, "expires_at is an aware datetime"),
    ],
)
def test_what_does_not_belong_to_the_item_is_refused(kind: str, options: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidArgument, match=words):
        follow(kind, **options)


def test_an_order_may_have_been_placed_by_either_operation() -> None:
    assert follow(operation="orders.drop_in").operation == "orders.drop_in"
