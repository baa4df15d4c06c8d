"""Errors: one tree; each says what happened, whether money moved and what to do; each survives a pickle; none leaks."""

import copy
import json
import pickle
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paywright import contract, validate
from paywright_codegen.naming import EXPORTS
from paywright_runtime import errors
from paywright_runtime.answer import Answer, Violation
from paywright_runtime.attempts import REASONS, Attempt, UnverifiedHint, sentence
from paywright_runtime.client.unverified_parts import answer_date, clock_skew, unverified_hint
from paywright_runtime.errors import (
    AlreadyPlaced,
    ClaimLost,
    ConfigurationError,
    ContractViolation,
    GatewayError,
    InvalidArgument,
    KeyProblem,
    LedgerProblem,
    MissingSetting,
    NoAnswer,
    NotSent,
    OutcomeUnknown,
    PaywrightError,
    TooEarly,
    TransactionEnded,
    UnreadableAnswer,
    UnreadableNotification,
    UnreadableWrite,
)
from paywright_runtime.redaction import redacted
from tests.support.contract import TOP
from tests.support.tables import table

CARD = "4444333322221111"
SPELLINGS = ((("code",), ("msg",)), (("bizCode",), ("message",)), (("responseCode",), ("responseMessage",)))


ATTEMPT = Attempt(
    number=1, started_at=datetime(2025, 6, 1, tzinfo=UTC), phase="waiting", duration=1.5, reason="timeout", status=None
)
HINT = UnverifiedHint("SIGN_VERIFY_FAILED", "wrong key")
BAD = (Violation("/data/totalAmount", "min", "must be at least 0.01"), Violation("", "json", "is not JSON"))

EXAMPLES: list[PaywrightError] = [
    PaywrightError("plain"),
    ConfigurationError("plain"),
    MissingSetting(names=["app_id", "private_key"], places={"app_id": "Merchant(app_id=...) or PAYWRIGHT_APP_ID"}),
    KeyProblem("The private key cannot be used: it is empty. Nothing was sent.", why="empty"),
    InvalidArgument("plain"),
    ContractViolation(operation="orders.checkout", violations=BAD),
    NotSent(
        operation="refunds.create", key="R1", reason="connection_failed", phase="connecting", attempts=[ATTEMPT],
        write=True, resolver="client.refunds.resolve(...)",
    ),
    NoAnswer(operation="orders.query", reason="unsigned", attempts=[ATTEMPT, ATTEMPT], unverified_hint=HINT),
    OutcomeUnknown(
        operation="orders.checkout", key="O1", reason="timeout", attempts=[ATTEMPT], resolve_with="orders.query",
        resolver="client.orders.resolve(...)",
    ),
    OutcomeUnknown(operation="subscriptions.create", key="S1", reason="unproven_code", code="SYSTEM_ERROR"),
    AlreadyPlaced(
        operation="orders.checkout", key="O1", code="ORDER_REPEAT", reason="already_placed",
        resolve_with="orders.query", resolver="client.orders.resolve(..., total_amount=..., currency=...)",
    ),
    GatewayError(operation="refunds.create", code="REFUND_FAILED", msg="no balance", key="R1", attempts=[ATTEMPT]),
    UnreadableWrite(
        operation="orders.checkout", key="O1", raw=b'{"card":"' + CARD.encode() + b'"}', violations=BAD,
        resolve_with="orders.query", resolver="client.orders.resolve(...)",
    ),
    UnreadableAnswer(operation="orders.query", raw=b"{}", violations=BAD[:1]),
    UnreadableNotification(key="app_1/RECEIVE/R1/SETTLED", violations=BAD),
    LedgerProblem("plain"),
    ClaimLost("plain"),
    TransactionEnded(key="app_1/RECEIVE/R1/SETTLED", why="it was rolled back"),
    TooEarly(key="O1", why="orders.query does not know 'O1' yet", come_back_at=datetime(2025, 6, 1, tzinfo=UTC)),
]  # fmt: skip


class OutOfStock(ConfigurationError):
    def __init__(self, what: str, left: int) -> None:
        super().__init__(f"{left} of {what}")


@pytest.mark.parametrize("error", [*EXAMPLES, OutOfStock("tea", 0)], ids=lambda error: type(error).__name__)
def test_an_error_survives_pickle_and_copy_with_its_attributes(error: PaywrightError) -> None:
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert again.args == error.args
        expected = {**vars(error), **({"raw": b""} if isinstance(error, UnreadableAnswer) else {})}
        assert vars(again) == expected


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_an_error_survives_a_result_backend_that_rebuilds_it_of_its_args(error: PaywrightError) -> None:
    """As Celery's JSON and taskiq's do. Attempts, violations and what the gateway sent stay behind."""
    error.add_note("a note")
    kept = json.loads(json.dumps(error.args))
    assert (kept[0], repr(error)) == (str(error), f"{type(error).__name__}({str(error)!r})")
    again = type(error)(*kept)
    assert (type(again), str(again), again.args) == (type(error), str(error), error.args)
    blank = {"attempts": (), "violations": (), "unverified_hint": None, "raw": b"", "answer": None}
    assert vars(again) == {name: blank.get(name, value) for name, value in vars(error).items()}
    assert CARD not in str(kept)


@pytest.mark.parametrize("kind", [PaywrightError, NotSent, OutcomeUnknown, GatewayError])
@pytest.mark.parametrize("args", [(), ("plain", "[]"), ("plain", "{"), ("plain", 1), ("plain", "{}", "")])
def test_an_error_is_not_rebuilt_of_other_args(kind: type[PaywrightError], args: tuple[object, ...]) -> None:
    with pytest.raises(TypeError):
        kind(*args)  # type: ignore[arg-type]


def test_every_class_of_the_tree_is_drawn_exported_and_tried_here() -> None:
    classes = {PaywrightError}
    todo = [PaywrightError]
    while todo:
        below = [kind for kind in todo.pop().__subclasses__() if kind.__module__ == errors.__name__]
        classes.update(below)
        todo += below
    assert errors.__doc__ is not None
    for kind in classes:
        assert EXPORTS[kind.__name__] == errors.__name__
        assert f" {kind.__name__} " in errors.__doc__ or f" {kind.__name__}\n" in errors.__doc__
    assert {type(error) for error in EXAMPLES} == classes
    assert issubclass(InvalidArgument, ValueError)
    assert issubclass(AlreadyPlaced, OutcomeUnknown)
    assert not issubclass(NoAnswer, OutcomeUnknown)
    moved = {kind for kind in classes if kind.call_may_have_moved_money}
    assert moved == {OutcomeUnknown, AlreadyPlaced, UnreadableWrite}


def test_the_readme_says_of_each_error_whether_money_may_have_moved_as_its_class_does() -> None:
    table = (
        (TOP / "README.md").read_text(encoding="utf-8").partition("| error | what happened |")[2].partition("\n\n")[0]
    )
    for name, _, moved, _ in (row.strip("| ").split(" | ", 3) for row in table.split("\n")[2:]):
        kind = getattr(errors, name.strip("`"))
        kinds = [kind, *kind.__subclasses__()]
        assert ("**yes**" in moved) is any(one.call_may_have_moved_money for one in kinds), name
        assert (moved == "no, nothing was sent") is ("nothing was sent" in str(tree_line(kind))), name


def tree_line(kind: type[PaywrightError]) -> str:
    """What the tree in the module's docstring says of a class."""
    return next(line for line in str(errors.__doc__).split("\n") if f"+- {kind.__name__} " in line)


SAYS: dict[str, str] = table("runtime/errors.yaml")


@pytest.mark.parametrize("name", SAYS)
def test_an_error_says_what_happened_whether_money_moved_and_what_to_do(name: str) -> None:
    assert str(next(error for error in EXAMPLES if type(error).__name__ == name)) == SAYS[name]


def test_what_an_error_says_depends_on_what_was_called() -> None:
    resolver = "client.orders.resolve(...)"
    error = ContractViolation(operation="orders.checkout", violations=BAD[:1], write=True, resolver=resolver)
    assert (
        "Nothing was sent: this call has moved no money. If the outcome of an earlier call with this key is unknown, resolve "
        "that first, with client.orders.resolve(...). Else correct the arguments and call again."
    ) in str(error)
    read = NotSent(operation="orders.query", reason="connection_failed", phase="connecting")
    assert str(read).endswith("This call only reads and has moved no money. Repeat it.")
    stays = str(EXAMPLES[9])
    assert "SYSTEM_ERROR proves nothing" in stays
    assert "the contract has no query for it: it stays unknown" in stays.lower()
    one = MissingSetting(names=["app_id"], places={"app_id": "Merchant(app_id=...)"})
    said = "Nothing was sent: a setting is missing. Set\n  app_id: Merchant(app_id=...)"
    assert (one.names, str(one)) == (("app_id",), said)


def test_a_refusal_quotes_the_gateway_on_one_line_without_card_numbers() -> None:
    msg = f"card {CARD}\nrefused"
    error = GatewayError(operation="orders.checkout", code="PAYMENT_REJECTED", msg=msg, answer=cast(Answer, object()))
    assert error.msg == msg
    assert CARD not in str(error) + repr(error)
    assert "\n" not in str(error)
    assert "no money" in str(error)
    assert pickle.loads(pickle.dumps(error)).answer is None


def test_an_unreadable_answer_keeps_its_bytes_out_of_sight() -> None:
    error = EXAMPLES[12]
    assert isinstance(error, UnreadableAnswer)
    assert isinstance(error, OutcomeUnknown)
    assert CARD.encode() in error.raw
    assert str(error).startswith(
        "The gateway accepted orders.checkout with key 'O1', and its answer cannot be read in 2 places."
    )
    assert "Money may have moved" in str(error)
    assert "this call only reads and has moved no money" in str(EXAMPLES[13]).lower()
    for text in (str(error), repr(error), "".join(traceback.format_exception(error)), str(pickle.dumps(error))):
        assert CARD not in text


@pytest.mark.parametrize("kind", [NotSent, NoAnswer, OutcomeUnknown, AlreadyPlaced])
@pytest.mark.parametrize("reason", [*REASONS, "a word of another transport"])
def test_every_reason_makes_a_sentence(kind: Callable[..., PaywrightError], reason: str) -> None:
    extra = {"phase": "sending"} if kind is NotSent else {}
    text = str(kind(operation="orders.checkout", reason=reason, **extra))
    assert "money" in text.lower()
    assert ("Repeat it." in text) <= (reason not in ("tls_failed", "signing_failed", "redirect"))
    if kind is not AlreadyPlaced:
        assert sentence(reason) in text


def test_constructors_take_keywords_alone() -> None:
    kinds: list[Callable[..., PaywrightError]] = [MissingSetting, ContractViolation, NotSent, NoAnswer, OutcomeUnknown]
    for kind in [*kinds, GatewayError, UnreadableAnswer]:
        with pytest.raises(TypeError):
            kind(*["orders.checkout", "timeout"])


# --- hints


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b'{"msg":"bad sign","code":"SIGN_VERIFY_FAILED"}', "SIGN_VERIFY_FAILED: bad sign"),
        (b'{"code":"X"}', "X"),
        (b'{"code":4000,"msg":null}', "4000"),
        (b'{"msg":"only words"}', "only words"),
        (b'{"bizCode":"4000","message":"not found"}', "4000: not found"),
        (b'{"responseCode":"4015500","responseMessage":"Unauthorized"}', "4015500: Unauthorized"),
        (b'{"code":"A\\u0000\\n\\u202eB","msg":"\\u001b[31mred"}', "AB: [31mred"),
    ],
)
def test_a_hint_is_what_the_body_appears_to_say(body: bytes, text: str) -> None:
    assert str(unverified_hint(body, SPELLINGS)) == f"NOT VERIFIED, the gateway appears to say {text}"


@pytest.mark.parametrize(
    "body",
    [
        b"", b"<html>", b"null", b"[]", b"5", b"{}", b'{"code":{}}', b'{"code":"","msg":""}', b'{"code":true}',
        b"\xff\xfe", b"[" * 100000, b'{"code":"A","code":"B"}', b'{"code":"' + b"x" * 70000 + b'"}', b'{"code":NaN}',
        b'{"code":"\\n"}',
    ],
)  # fmt: skip
def test_there_may_be_no_hint(body: bytes) -> None:
    assert unverified_hint(body, SPELLINGS) is None


def test_a_hint_is_bounded_and_shows_no_card() -> None:
    body = f'{{"code":"{"C" * 500}","msg":"{"m" * 190} {CARD} {"n" * 500}"}}'.encode()
    hint = unverified_hint(body, SPELLINGS)
    assert hint is not None
    assert len(hint.code) == 64
    assert len(hint.msg) == 200
    assert "4444" not in hint.msg


@given(st.text(max_size=400), st.integers(4, 300))
def test_what_is_shown_is_one_bounded_printable_line(text: str, limit: int) -> None:
    result = redacted(text, limit)
    assert len(result) <= limit
    assert result.isprintable()


@given(st.binary(max_size=300))
def test_a_hint_is_made_of_any_bytes_without_failing(body: bytes) -> None:
    hint = unverified_hint(body, SPELLINGS)
    assert hint is None or len(str(hint)) < 400


@pytest.mark.parametrize(
    ("text", "hour"),
    [("Sun, 01 Jun 2025 12:00:00 GMT", 12), ("Sun, 01 Jun 2025 14:00:00 +0200", 12), ("Sun, 01 Jun 2025 12:00:00 -0000", 12),
     ("Sun, 01 Jun 2025 06:30:00 -0530", 12)],
)  # fmt: skip
def test_the_date_of_an_answer_is_a_moment_whatever_its_offset(text: str, hour: int) -> None:
    date = answer_date([("Server", "x"), ("DATE", text)])
    assert date == datetime(2025, 6, 1, hour, tzinfo=UTC)
    assert clock_skew([("date", text)], datetime(2025, 6, 1, 11, 59, tzinfo=UTC)) == 60
    assert answer_date([("Date", text)] * 2) is None


@pytest.mark.parametrize(
    "text",
    ["garbage", "", "-0000", "Sat, 31 Feb 2026 08:00:00 GMT", "2026-11-29T01:00:00Z", "Fri, 06 Nov 99999 08:49:37 GMT",
     "Fri, 06 Nov 2026 08:49:37 +9999"],
)  # fmt: skip
def test_a_date_that_is_none_is_no_moment(text: str) -> None:
    assert answer_date([("Date", text)]) is None


@pytest.mark.parametrize(
    ("value", "said"),
    [(float("nan"), "NaN or Infinity"), (float("-inf"), "NaN or Infinity"), (1.5, "a number"), (7, "a number"), (True, "true or false")],
)  # fmt: skip
def test_a_wrong_type_is_called_by_what_it_is(value: object, said: str) -> None:
    body = contract.example("orders.query.request")
    body["data"]["outTradeNo"] = value
    (violation,) = validate("orders.query", "request", body)
    assert (violation.pointer, violation.code) == ("/data/outTradeNo", "type")
    assert f"not {said}" in violation.message
