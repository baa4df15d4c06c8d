"""Decide what the specification leaves open: the policies of the gateway as a whole, and the values in force."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from itertools import pairwise
from typing import Final, TypeAlias

from paywright_runtime.errors import ConfigurationError

Value: TypeAlias = str | int | tuple[str, ...]


@dataclass(slots=True, eq=False)
class Policy:
    """One decision: its default, the contract's question it answers, and a summary.

    The value has the default's type. `choices` limit a text; a list has amounts, or texts with `words`. A text with
    `amount` is an amount of 0 or more.
    """

    name: str
    default: Value
    question: str
    summary: str
    _: KW_ONLY
    choices: tuple[str, ...] = ()
    words: bool = False
    amount: bool = False


ENGINE_POLICIES: Final = (
    # Refusals of request checks
    Policy("signature-failed", "SIGN_VERIFY_FAILED", "error-codes", "code when the signature is wrong"),
    Policy("stale-request-time", "REQ_TIME_OVER_TIME", "error-codes", "code when requestTime is too far off"),
    Policy("unknown-merchant", "MERCHANT_APP_INVALID", "error-codes", "code when no registered merchant has these numbers"),
    Policy("request-version", "any", "compatibility", "a request with another version or keyVersion than the one shown: accepted, or refused",
           choices=("any", "known")),
    Policy("unknown-members", "taken", "compatibility",
           "a request with unknown members: accepted, with their names in the header X-Sandbox-Unknown-Members, or refused",
           choices=("taken", "refused")),
    Policy("empty-texts", "refused", "empty-texts",
           "a request with a required text that is empty or only white space, if no minimum length is stated: refused, or accepted",
           choices=("refused", "taken")),
    Policy("request-time-format", "exact", "compatibility",
           "accepted forms of requestTime (and X-TIMESTAMP): exactly the one shown, or any RFC 3339 with an offset", choices=("exact", "rfc-3339")),
    Policy("invalid-request", "PARAMS_INVALID", "error-codes", "code when the request breaks the contract"),
    Policy("internal-error", "SYSTEM_ERROR", "error-codes", "code when the sandbox itself fails"),
    # Refusals of handlers
    Policy("repeat", "ORDER_REPEAT", "repeat-code", "code when a key was used before, with the same body or another"),
    Policy("absent", "ORDER_NOT_EXIST", "error-codes", "code when something does not exist, where the specification shows no code"),
    Policy("other-currency", "CURRENCY_INVALID", "refusal-codes", "code when a currency is wrong, or a pair has no rate"),
    Policy("amount-limit", "AMOUNT_LIMIT", "refusal-codes", "code when an amount is above largest-amount, or an exchange is rounded to nothing"),
    Policy("decimals", "as-seen", "decimals",
           "decimal places: those that such gateways were seen to take in the currency, and of any number at most those that a client "
           "sends; or any", choices=("as-seen", "any")),
    # Outcomes of payments
    Policy("fails-at", ("15", "500", "1.12", "20000", "25000"), "other-moves",
           "amounts that fail: of Drop-In orders, of Pay on the cashier page, and of periods of a plan"),
    Policy("pends-at", ("6", "60", "600", "16000"), "other-moves", "amounts that stay pending: of Drop-In orders, and of Pay on the cashier page"),
    Policy("challenges-at", ("222",), "other-moves", "amounts that the payer's bank challenges first"),
    Policy("settles-after", 2, "other-moves", "seconds until exchanges, withdraw orders and charges of a period settle"),
    # Notifications
    Policy("unshown-notifications", "on", "notify-retries", "notifications of orders, refunds and withdrawals, whose contents are not shown",
           choices=("on", "off")),
    Policy("notification-schedule", ("0", "30", "300", "600", "3600", "43200"), "notify-retries",
           "seconds after the event of each attempt to deliver a notification, until it is acknowledged"),
    Policy("attempt-seconds", 5, "notify-retries",
           "seconds, 1 or more, for a merchant's server to answer a notification, or the question about a bill"),
    Policy("notification-acknowledged-by", "success", "notify-retries",
           "what acknowledges a notification: a valid answer with code SUCCESS, a valid answer of any code, or HTTP 200 alone",
           choices=("success", "valid", "http-200")),
)  # fmt: skip
"""Policies of request checks, responses and notifications. A resource has its own beside it."""


class Policies:
    """The policies in force: the defaults, and the overrides of sandbox.toml."""

    __slots__ = ("_amounts", "_values")

    def __init__(self, known: Mapping[str, Policy], overrides: Mapping[str, object] | None = None) -> None:
        """Replace defaults of `known` by `overrides`, by name.

        Raises `ConfigurationError` with all errors of `overrides`.
        """
        wrong: list[str] = []
        values = {policy.name: policy.default for policy in known.values()}
        for name, value in (overrides or {}).items():
            policy = known.get(name)
            if policy is None:
                near = get_close_matches(name, known, 2)
                wrong.append(f"there is no policy {name!r}" + (f"; did you mean {' or '.join(near)}?" if near else ""))
                continue
            kept = value if not isinstance(value, list) else tuple(value)
            fault = _fault(policy, kept)
            if fault:
                wrong.append(f"policy {name} {fault}")
            else:
                values[name] = kept  # type: ignore[assignment]  # _fault has compared its type with the default's
        if wrong:
            raise ConfigurationError("\n".join(wrong))
        self._values = values
        self._amounts: dict[str, frozenset[Decimal]] = {}

    def value(self, name: str) -> Value:
        """Return the value of a policy of any type, to show it."""
        return self._values[name]

    def text(self, name: str) -> str:
        """Return a policy whose value is text: a code, a status."""
        value = self._values[name]
        assert isinstance(value, str)
        return value

    def seconds(self, name: str) -> int:
        """Return a policy whose value is a number of seconds."""
        value = self._values[name]
        assert isinstance(value, int)
        return value

    def schedule(self, name: str) -> tuple[int, ...]:
        """Return a policy whose value is a list of seconds, each later than the one before."""
        value = self._values[name]
        assert isinstance(value, tuple)
        return tuple(map(int, value))

    def words(self, name: str) -> frozenset[str]:
        """Return a policy whose value is a list of texts."""
        value = self._values[name]
        assert isinstance(value, tuple)
        return frozenset(value)

    def amounts(self, name: str) -> frozenset[Decimal]:
        """Return a policy whose value is a list of amounts, compared by value: 15 equals 15.00."""
        found = self._amounts.get(name)
        if found is None:
            value = self._values[name]
            assert isinstance(value, tuple)
            found = self._amounts[name] = frozenset(map(Decimal, value))
        return found


def _fault(policy: Policy, value: object) -> str | None:
    """Return the error of a value, or None."""
    if policy.name == "notification-schedule":
        return None if _rising(value) else 'must be a list of rising seconds such as ["0", "30", "300"]'
    if policy.words:
        return None if _words(value) else 'must be a list of texts such as ["QRIS", "PIX"]'
    if isinstance(policy.default, tuple):
        return (
            None if isinstance(value, tuple) and _amounts(value) else 'must be a list of amounts such as ["15", "1.12"]'
        )
    if isinstance(policy.default, int):
        fits = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 10**9
        return None if fits else "must be a number of seconds, 0 or more"
    if not isinstance(value, str) or not value.isascii() or not value.isprintable():
        return "must be text"
    if policy.choices and value not in policy.choices:
        return f"must be one of {', '.join(policy.choices)}"
    if policy.amount and not (_amounts((value,)) and Decimal(value) >= 0):
        return 'must be an amount such as "5000"'
    return None if 0 < len(value) <= 32 else "must have 1 to 32 characters"


def _amounts(values: Iterable[object]) -> bool:
    for value in values:
        try:
            if not isinstance(value, str) or not Decimal(value).is_finite() or abs(Decimal(value).adjusted()) > 20:
                return False
        except InvalidOperation:
            return False
    return True


def _words(value: object) -> bool:
    return isinstance(value, tuple) and all(
        isinstance(word, str) and word.isascii() and word.isprintable() and 0 < len(word) <= 32 for word in value
    )


def _rising(value: object) -> bool:
    if not isinstance(value, tuple) or not 0 < len(value) <= 50:
        return False
    if not all(isinstance(part, str) and part.isascii() and part.isdigit() and len(part) <= 9 for part in value):
        return False
    seconds = [int(part) for part in value]
    return all(earlier < later for earlier, later in pairwise(seconds))
