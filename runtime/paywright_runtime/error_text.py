"""Sentences of messages: why a call has no result, whether it may have moved money, and what to do next.

All sentences about money are here. They say "this call", because an earlier call may have had the same key.

`ADVICE` has one sentence for each situation of a call, an item or a notification. Errors, the reasons of steps and items, the reports
of the command line and the pages of the documentation say these and no others about a situation. Each is a clause without a full stop.
A page has it between `<!-- advice ID -->` and `<!-- end -->`.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from paywright_runtime.attempts import Attempt, UnverifiedHint, sentence
from paywright_runtime.redaction import redacted, shown_key

if TYPE_CHECKING:
    from paywright_runtime.answer import Violation

ADVICE: Final[Mapping[str, str]] = {
    # a call
    "refused": "correct what it names, or wait where it asks for time, and call again: the same content keeps its key, other content takes a new one",
    "not_sent": "call again: the same content keeps its key, other content takes a new one",
    "unknown": "do not call it again, under this key or a new one",
    "no_query": "the contract has no query for it: it stays unknown until a notification or the gateway's support says what became of it",
    # an item
    "place_again": "place it again with a permission, under the same key, if it is still wanted; else close it",
    "decide.not_there": "if it is still wanted, resolve it anew or ask the follower for the permission; else stop asking, or close it",
    "decide.not_shown": "ask the gateway's support what became of it; do not call it again, under this key or a new one",
    "decide.no_answer": "mend what it names (the network, a key, a setting) or, if other keys are answered, ask the gateway's support; the next answer settles it: do not close it, nor call it again",
    "decide.other_call": "find the earlier call with this key, ask the gateway's support whether this one arrived too, and close it with the reason; if its content was mistyped when it was registered, correct that with `paywright follow open --correct`",
    "decide.conflict": "compare both with your records, ask the gateway's support which is right, and close it with the reason and the state that you booked",
    "decide.not_done": "what it should have changed stands: decide what follows; the gateway's support can say why",
    "decide.overdue": "ask the gateway's support what became of it: close it with the reason, or name its last state with `ends`",
    "decide.behind": "ask the gateway's support which is right; it is asked about further, and an answer that shows it settles it",
    "decide.closed": "close it and open it again, and the handler is called; or close it with the state that you booked",
    "closed": "a webhook opens it again; it is asked about once after its expiry and once a day later, and a person decides if money has moved",
    "untold": "run a follower with a receiver: it calls the handler",
    # an operation on an item that is refused
    "unregistered": "{kind} {key!r} is not registered: it never was with follower.open, or its transaction was rolled back",
    "registered": (
        "{kind} {key!r} is registered already, with other content. Nothing was written: a key stands for one thing for ever. Use a new "
        "key for a new thing, the same arguments for the same thing, and `paywright follow open --correct` for arguments that were mistyped"
    ),
    "not_correctable": (
        "{kind} {key!r} cannot be corrected: its last state is known, or it had an effect, or a permission to place it again was given. "
        "Nothing was written: `paywright show {key!r}` says what is known of it"
    ),
    "correction_drops": (
        "{kind} {key!r} was registered with {members} too. Nothing was written: a correction replaces all that was registered, and what "
        "is not given is not compared any more. Give each member again, also what was right"
    ),
    "other_letters": (
        "{kind} {key!r} is registered already as {there!r}: the gateway knows no capitals. Nothing was written: use the number as it is "
        "registered for the same thing, and one that has other letters for another"
    ),
    "elsewhere": (
        "{kind} {key!r} is registered for {there}, and this client asks {here}. Nothing was written. If both are addresses of one "
        "gateway, `paywright follow move` moves here what waits there, and what --as-is names"
    ),
    "here": "{kind} {key!r} is at {here} already. Nothing was written",
    "unheard": (
        "{kind} {key!r} stays as it is: a notification about it was acknowledged, and the gateway was not asked yet what it means. Run "
        "the follower, which asks the gateway what it means, before you close it"
    ),
    "not_shown": "no query can show {kind} {key!r} here: move it with as_is if you know that it is here",
    "not_placeable": "{why}",
    "closed_by_hand": "it was closed by hand: {why}; open it again with follower.open",
    "asking": "it is being asked about at this moment",
    "void": "this permission is void: its item was closed, or placed by another call",
    "expired": "this permission held {seconds:.0f} seconds, which are over",
    "used": "a call was made with this permission",
    "no_handler": "there is no handler of on_result({kind!r}) to call: give the follower the receiver that has it",
    "no_end": "{state} of {kind} {key!r} is no last state for the handler: register it with `ends` as before. Nothing was called",
    "no_result": "no result of {kind} {key!r} is known that its handler could be called with: {why}. Nothing was called",
    # a notification that is kept, or not
    "handling": "a handler is running; release it first if that handler died",
    "nothing_kept": "nothing is kept that could be replayed or discarded",
    "kept": "the gateway may send it again, and the handler may run then: look at it before you book anything by hand",
}


def advised(situation: str) -> str:
    """Return the advice for a situation with a capital letter, without a full stop."""
    text = ADVICE[situation]
    return f"{text[0].upper()}{text[1:]}"


def refusal(situation: str, **values: object) -> str:
    """Return why an operation is refused as a sentence, with the values of what it is about."""
    return f"{advised(situation).format_map(values)}."


MAY_HAVE_MOVED: Final = f"Money may have moved. {advised('unknown')}."
MOVED_NONE: Final = "This call has moved no money."
READS_ONLY: Final = "This call only reads and has moved no money."
NOT_SIGNED: Final = "The refusal is not signed: it counts because unsigned_answers is on."
UNSETTLED: Final = f"{advised('no_query')}."

_KEYS: Final = "If this stays so, gateway_keys may not hold the gateway's key: `paywright keys verify` finds out."
_ON_THE_WAY: Final = (
    "If this stays so, something on the way changes answers, or the gateway signs in another way: call without a proxy."
)
_SIGN: Final = (
    "If this stays so, another server answers, or something on the way changes the header sign: check base_url, and call without a proxy."
)
_ADDRESS: Final = "Repeating does not help: check base_url and paths."
_PROXY: Final = "Repeating does not help: check the name and password in proxy."
_ADVICE: Final = {
    "proxy_refused": _PROXY,
    "tls_failed": "Repeating does not help: check the certificate, ca_file and base_url.",
    "signing_failed": "Repeating does not help until the signer works.",
    "redirect": _ADDRESS,
    "bad_signature": _KEYS,
    **dict.fromkeys(("unsigned", "several_signatures", "not_canonical"), _SIGN),
}
_STATUS_ADVICE: Final = {**dict.fromkeys((400, 401, 403, 404, 405, 410), _ADDRESS), 407: _PROXY}


def call_text(operation: str, key: str | None) -> str:
    """Return an operation and its key, as messages name a call."""
    return operation if key is None else f"{operation} with key {shown_key(key)!r}"


def cause_text(reason: str, attempts: tuple[Attempt, ...]) -> str:
    """Return why a call has no answer: the sentence, the last detail from the peer or the system, and the reason word."""
    last = attempts[-1] if attempts and attempts[-1].reason == reason else None
    text = sentence(reason)
    if last is not None and reason == "http_status" and last.status is not None:
        text = f"the HTTP status is {last.status}, not 200"
    elif last is not None and reason == "bad_signature" and last.detail:
        text = f"the signature does not verify: {last.detail}"
    elif last is not None and last.detail:
        text = f"{text}: {_words(last.detail)}"
    return f"{text} ({reason}{f', {len(attempts)} attempts' if len(attempts) > 1 else ''})"


def _words(detail: str) -> str:
    """Return a detail with the system's text for an error number: `connection refused [ECONNREFUSED]`."""
    *place, name = detail.split(" ")
    number = getattr(errno, name, None) if name.isupper() and name.startswith("E") else None
    if not isinstance(number, int):
        return detail
    return " ".join([*place, f"{os.strerror(number).lower()} [{name}]"])


def cause_advice(reason: str, attempts: tuple[Attempt, ...]) -> str:
    """Return what to check before another call, if repeating alone does not help; else ""."""
    if reason == "http_status" and attempts:
        return _STATUS_ADVICE.get(attempts[-1].status or 0, "")
    if reason == "bad_signature" and attempts and attempts[-1].detail:
        return _ON_THE_WAY
    return _ADVICE.get(reason, "")


def resolve_advice(resolver: str | None, query: str | None = None) -> str:
    """Return what to do about a write whose outcome is unknown."""
    if resolver is None:
        return f"{MAY_HAVE_MOVED} {UNSETTLED}"
    asks = "" if query is None else f", which asks {query} for the same key"
    return f"{MAY_HAVE_MOVED} Resolve it with {resolver}{asks}."


def earlier_calls_advice(resolver: str | None, otherwise: str) -> str:
    """Return the advice for a call that did nothing: settle an earlier call with its key first, else do `otherwise`, a situation or words."""
    otherwise = f"{ADVICE[otherwise]}." if otherwise in ADVICE else otherwise
    rule = "If the outcome of an earlier call with this key is unknown,"
    if resolver is None:
        return f"{rule} it stays so, as the contract has no query for it: ask the gateway's support. Else {otherwise}"
    return f"{rule} resolve that first, with {resolver}. Else {otherwise}"


def not_found_advice(resolver: str | None) -> str:
    """Return what a "not there" means, and what to do next [4.3]."""
    if resolver is None:
        return "The gateway does not know this item: check the arguments."
    return (
        f"It does not prove that a write of unknown outcome did nothing: continue with {resolver}, which says what is allowed and "
        "when [4.3]. Else check the key."
    )


def hint_text(hint: UnverifiedHint | None) -> str:
    """Return an unverified hint as the end of a message."""
    return "" if hint is None else f" {hint}"


def count_text(count: int) -> str:
    """Return the number of places."""
    return "1 place" if count == 1 else f"{count} places"


def difference_text(member: str, asked: str, shown: str) -> str:
    """Return a member that an answer shows otherwise than the call had it."""
    return f"{member} {redacted(shown, 64)!r} where this call has {redacted(asked, 64)!r}"


def violation_lines(violations: tuple[Violation, ...]) -> str:
    """Return one indented line for each violation."""
    return "".join(f"\n  {item}" for item in violations)
