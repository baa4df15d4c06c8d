"""Faults of signatures, and what captures lose of them: what does not hold, and what cannot be told."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Callable
from typing import Any, Final

from tests.audit.helpers.planted_story import FORMS, Draft, Story

__all__ = ["SIGNATURES"]

EXACT: Final = ("records", "packed")
Plant = Callable[[Story], None]
_FOUND: Final = {"invalid": "signature-invalid", "absent": "signature-absent"}


def _plant(
    start: Callable[[Story], Draft], part: str, state: str, why: str, forms: tuple[str, ...] = EXACT, *, refused: bool = False, **changes: Any
) -> Plant:  # fmt: skip
    """Plants a message with these changes, whose `sign` has this verdict. With `refused` the gateway proves that it came so.

    `repaired` is what a key signed and the capture has in another form: what was signed is judged, and nobody is to blame.
    """

    def plant(story: Story) -> None:
        draft = start(story)
        side = draft.side(part)
        story.forms = forms
        for name, value in changes.items():
            setattr(side, name, value)
        if refused:
            draft.side("response").value = {"code": "SIGN_VERIFY_FAILED", "msg": "Failed"}
        side.verdict = (state, why)
        if why == "repaired":
            story.expect(draft, part, "", "capture-changed", note=True)
        elif state in _FOUND:
            story.expect(draft, part, "@header/sign", _FOUND[state])

    return plant


def _signs(change: Callable[[str], list[str]], why: str = "refused") -> Plant:
    return _plant(Story.order, "request", "invalid", why, FORMS, refused=True, signs=change)


def _snap(change: Callable[[str], list[str]], state: str, why: str, forms: tuple[str, ...] = FORMS) -> Plant:
    """Plants a bank-style call whose own signature is changed."""

    def plant(story: Story) -> None:
        draft = story.bank()
        story.forms = forms
        draft.asked.snap, draft.asked.snap_verdict = change, (state, why)
        if state in _FOUND:
            story.expect(draft, "request", "@header/X-SIGNATURE", _FOUND[state])

    return plant


def _swap(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    return lambda raw: raw.replace(old, new)


def _compact(raw: bytes, **how: Any) -> bytes:
    return json.dumps(json.loads(raw), separators=(",", ":"), **how).encode()


def _spare_bits(true: str) -> list[str]:
    """Other letters that stand for the same bytes."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return [true[:-3] + letters[letters.index(true[-3]) + 1] + "=="]


def _paid(story: Story) -> Draft:
    return story.ask(status="SUCCESS")


def _zwoelf(story: Story) -> Draft:
    return story.order(data={"subject": "Zwölf Karten"})


def _masked_and_forged(story: Story) -> None:
    """The gateway itself masks cards: bytes that are exact hide nothing."""
    _plant(Story.period, "notification", "invalid", "bad_signature", signer="stranger")(story)
    story.drafts[-1].data["subscriptionPaymentDetail"]["cardNo"] = "444433******1111"
    story.expect(story.drafts[-1], "notification", "/data/subscriptionPaymentDetail/cardNo", "unknown-field", note=True)


def _parsed_with_fault(story: Story) -> None:
    """What is written again as it was sent has the signature: the fault was sent."""
    _plant(Story.ask, "response", "valid", "repaired", ("records",), shown="parsed")(story)
    story.drafts[-1].side("response").value["data"]["trade"]["currency"] = "dollars"
    story.expect(story.drafts[-1], "response", "/data/trade/currency", "format")


def _parsed_snap(story: Story) -> None:
    _plant(Story.bank, "request", "valid", "repaired", ("records",), shown="parsed")(story)
    story.drafts[-1].asked.snap_verdict = ("unverifiable", "body_parsed")


def _notification_lost(story: Story) -> None:
    _plant(Story.transfer, "notification", "unverifiable", "body_lost", ("records",), shown="lost")(story)
    story.drafts[-1].asked.value["notifyType"] = "RECEIVE"  # elsewhere nothing says what it was


def _truncated_by_length(story: Story) -> None:
    """A record that has less than its own Content-Length says."""
    _plant(Story.ask, "response", "unverifiable", "truncated", ("records",), sent=lambda raw: raw[: len(raw) // 2])(
        story
    )
    told = story.drafts[-1].side("response")
    told.headers.append(["Content-Length", str(len(told.encoded()))])


def _packed_before_signing(story: Story) -> None:
    """What was signed was packed, and a HAR file shows it unpacked."""
    packed: dict[str, Any] = {"made": lambda raw: gzip.compress(raw, mtime=0), "shown": "unpacked"}
    _plant(Story.ask, "response", "unverifiable", "reencoded", ("har",), **packed)(story)
    story.drafts[-1].side("response").headers.append(["Content-Encoding", "gzip"])


def _packed_on_the_wire(story: Story) -> None:
    _plant(Story.ask, "response", "valid", "", sent=lambda raw: gzip.compress(raw, mtime=0))(story)
    story.drafts[-1].side("response").headers.append(["Content-Encoding", "gzip"])


def _other_character_set(story: Story) -> None:
    latin: dict[str, Any] = {"made": lambda raw: raw.decode().encode("latin-1"), "shown": "latin-1"}
    _plant(_zwoelf, "request", "valid", "repaired", ("har",), **latin)(story)
    story.drafts[-1].asked.header("Content-Type", "application/json; charset=ISO-8859-1")
    story.expect(story.drafts[-1], "request", "", "json")


def _mark_dropped(story: Story) -> None:
    """A tool that decodes drops the byte order mark that was signed: the signature proves it."""
    _plant(Story.ask, "response", "valid", "repaired", ("har",), made=lambda raw: b"\xef\xbb\xbf" + raw)(story)
    story.expect(story.drafts[-1], "response", "", "json")


_AMOUNT: Final = _swap(b'"10.50"', b'"10.51"')
_TICKETS: Final = _swap(b"Tickets", b"Ticket5")
SIGNATURES: Final[dict[str, Plant]] = {
    # One digit of an amount, behind the signature's back.
    "changed after": _plant(_paid, "response", "invalid", "bad_signature", sent=_AMOUNT),
    "changed request": _plant(Story.order, "request", "invalid", "bad_signature", refused=True, sent=_TICKETS),
    # The gateway accepted it, so that only the capture has it otherwise.
    "changed though accepted": _plant(Story.order, "request", "unverifiable", "accepted", sent=_TICKETS),
    "masked and forged": _masked_and_forged,
    "changed notification": _plant(
        lambda s: s.transfer(status="SETTLED"), "notification", "invalid", "bad_signature", sent=_swap(b'"amount":"10.50"', b'"amount":"99.50"')
    ),
    "changed unshown": _plant(Story.paid, "notification", "invalid", "bad_signature", sent=_swap(b"10.50", b"90.50")),
    "newline behind": _plant(Story.order, "request", "invalid", "refused", refused=True, sent=lambda raw: raw + b"\n"),
    "space behind answer": _plant(Story.ask, "response", "valid", "repaired", sent=lambda raw: raw + b" "),
    # A client that serialises once to sign and once to send.
    "written anew": _plant(Story.refund, "request", "invalid", "refused", refused=True, sent=lambda raw: json.dumps(json.loads(raw)).encode()),
    "sorted anew": _plant(Story.exchange, "request", "invalid", "refused", refused=True, sent=lambda raw: _compact(raw, sort_keys=True)),
    "escaped anew": _plant(_zwoelf, "request", "valid", "repaired", sent=_compact),
    "mark put before": _plant(Story.ask, "response", "valid", "repaired", sent=lambda raw: b"\xef\xbb\xbf" + raw),
    "strange key": _plant(Story.order, "request", "invalid", "bad_signature", refused=True, signer="stranger"),
    # An answer that is signed with the merchant's key proves that whoever made it has the wrong one.
    "own key": _plant(Story.ask, "response", "invalid", "swapped", signer="merchant"),
    "strange notification": _plant(Story.period, "notification", "invalid", "bad_signature", signer="stranger"),
    "no signature": _plant(Story.order, "request", "absent", "absent", FORMS, refused=True, signer=None),
    "no signature of answer": _plant(Story.ask, "response", "absent", "absent", FORMS, signer=None),
    "no signature of notification": _plant(Story.transfer, "notification", "absent", "absent", FORMS, signer=None),
    "no signature of unshown": _plant(Story.paid, "notification", "absent", "absent", FORMS, signer=None),
    "newline in signature": _signs(lambda true: [true + "\n"]),
    "lines in signature": _signs(lambda true: ["\r\n ".join(true[at : at + 76] for at in range(0, len(true), 76))]),
    "other alphabet": _signs(lambda true: [true[:-6] + "_-" + true[-4:]]),
    "no padding": _signs(lambda true: [true.rstrip("=")]),
    "spare bits": _signs(_spare_bits),
    "empty signature": _signs(lambda true: [""]),
    "two signatures": _signs(lambda true: [true, b64encode(bytes(256)).decode()], "several"),
    "the same twice": _signs(lambda true: [true, true]),
    # How the signature is built is not shown, so that it may hold in another form.
    "snap of other bytes": _snap(lambda true: [b64encode(bytes(256)).decode()], "unverifiable", "other_form", EXACT),
    "no snap": _snap(lambda true: [], "absent", "absent"),
    "two snaps": _snap(lambda true: [true, true], "invalid", "several"),
    "snap newline": _snap(lambda true: [true + "\n"], "unverifiable", "other_form", EXACT),
    # What a capture lost is no finding; why nothing can be told is.
    "parsed": _plant(Story.order, "request", "valid", "repaired", ("records",), shown="parsed"),
    "parsed and changed": _plant(
        Story.order, "request", "unverifiable", "body_parsed", ("records",), sent=_swap(b"Tickets", b"(not shown)"), shown="parsed"
    ),
    "parsed with fault": _parsed_with_fault,
    "parsed snap": _parsed_snap,
    "body lost": _plant(Story.ask, "response", "unverifiable", "body_lost", FORMS, shown="lost"),
    "notification lost": _notification_lost,
    # A text that the capture has, and that does not fit: who changed it, nobody knows.
    "text changed": _plant(Story.order, "request", "unverifiable", "bytes_lost", ("har",), sent=_swap(b"Tickets", b"T\xc3\xaftres")),
    "text record changed": _plant(
        Story.ask, "response", "unverifiable", "bytes_lost", ("records",), shown="text", sent=_swap(b'"10.50"', b'"{{amount}}"')
    ),
    "truncated": _plant(Story.ask, "response", "unverifiable", "truncated", ("har",), shown="truncated"),
    "truncated request": _plant(Story.order, "request", "unverifiable", "truncated", ("har",), shown="truncated"),
    "truncated by length": _truncated_by_length,
    "packed before signing": _packed_before_signing,
    "symmetric": _snap(lambda true: [b64encode(bytes(64)).decode()], "unverifiable", "symmetric"),
    # What looks odd and holds.
    "packed on the wire": _packed_on_the_wire,
    "text that holds": _plant(
        lambda s: s.order(data={"subject": "Zwölf Karten ☕"}), "request", "valid", "", ("records",), shown="text"
    ),
    "other character set": _other_character_set,
    "mark dropped": _mark_dropped,
    "certain har": _plant(Story.ask, "response", "invalid", "bad_signature", ("har",), shown="base64", sent=_AMOUNT),
}  # fmt: skip
