"""Faults of signatures, and what captures lose of them: what does not hold, and what cannot be told."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Callable
from typing import Final

from tests.audit.helpers.planted_story import Draft, Story

__all__ = ["SIGNATURES"]

EXACT: Final = ("records", "packed")
_SIGN: Final = "@header/sign"
_SNAP: Final = "@header/X-SIGNATURE"


def _invalid(story: Story, draft: Draft, part: str, why: str = "bad_signature", forms: tuple[str, ...] = EXACT) -> None:
    story.forms = forms
    draft.side(part).verdict = ("invalid", why)
    story.expect(draft, part, _SIGN, "signature-invalid")


def _changed(story: Story, draft: Draft, part: str, forms: tuple[str, ...] = EXACT) -> None:
    """The capture has what a key signed in another form: what was signed is judged, and nobody is to blame."""
    story.forms = forms
    draft.side(part).verdict = ("valid", "repaired")
    story.expect(draft, part, "", "capture-changed", note=True)


def _refused(draft: Draft) -> None:
    """The gateway proves that it came so."""
    assert draft.told is not None
    draft.told.value = {"code": "SIGN_VERIFY_FAILED", "msg": "Failed"}


def changed_after(story: Story) -> None:
    """One digit of an amount, behind the signature's back."""
    draft = story.ask(status="SUCCESS")
    assert draft.told is not None
    draft.told.sent = lambda raw: raw.replace(b'"10.50"', b'"10.51"')
    _invalid(story, draft, "response")


def changed_request(story: Story) -> None:
    draft = story.order()
    draft.asked.sent = lambda raw: raw.replace(b"Tickets", b"Ticket5")
    _refused(draft)
    _invalid(story, draft, "request")


def changed_though_accepted(story: Story) -> None:
    """The gateway accepted it, so that only the capture has it otherwise."""
    draft = story.order()
    draft.asked.sent = lambda raw: raw.replace(b"Tickets", b"Ticket5")
    story.forms, draft.asked.verdict = EXACT, ("unverifiable", "accepted")


def changed_notification(story: Story) -> None:
    draft = story.transfer(status="SETTLED")
    draft.asked.sent = lambda raw: raw.replace(b"SETTLED", b"settled") + b" "
    draft.asked.sent = lambda raw: raw.replace(b'"amount":"10.50"', b'"amount":"99.50"')
    _invalid(story, draft, "notification")


def changed_unshown(story: Story) -> None:
    draft = story.paid()
    draft.asked.sent = lambda raw: raw.replace(b"10.50", b"90.50")
    story.forms = EXACT
    draft.asked.verdict = ("invalid", "bad_signature")
    story.expect(draft, "notification", _SIGN, "signature-invalid")


def newline_behind(story: Story) -> None:
    draft = story.order()
    draft.asked.sent = lambda raw: raw + b"\n"
    _refused(draft)
    _invalid(story, draft, "request", "refused")


def space_behind_answer(story: Story) -> None:
    draft = story.ask()
    assert draft.told is not None
    draft.told.sent = lambda raw: raw + b" "
    _changed(story, draft, "response")


def written_anew(story: Story) -> None:
    """A client that serialises once to sign and once to send."""
    draft = story.refund()
    draft.asked.sent = lambda raw: json.dumps(json.loads(raw)).encode()
    _refused(draft)
    _invalid(story, draft, "request", "refused")


def sorted_anew(story: Story) -> None:
    draft = story.exchange()
    draft.asked.sent = lambda raw: json.dumps(json.loads(raw), sort_keys=True, separators=(",", ":")).encode()
    _refused(draft)
    _invalid(story, draft, "request", "refused")


def escaped_anew(story: Story) -> None:
    draft = story.order(data={"subject": "Zwölf Karten"})
    draft.asked.sent = lambda raw: json.dumps(json.loads(raw), separators=(",", ":")).encode()
    _changed(story, draft, "request")


def mark_put_before(story: Story) -> None:
    draft = story.ask()
    assert draft.told is not None
    draft.told.sent = lambda raw: b"\xef\xbb\xbf" + raw
    _changed(story, draft, "response")


def strange_key(story: Story) -> None:
    draft = story.order()
    draft.asked.signer = "stranger"
    _refused(draft)
    _invalid(story, draft, "request")


def own_key(story: Story) -> None:
    """An answer that is signed with the merchant's key proves that whoever made it has the wrong one."""
    draft = story.ask()
    assert draft.told is not None
    draft.told.signer = "merchant"
    _invalid(story, draft, "response")
    draft.told.verdict = ("invalid", "swapped")


def strange_notification(story: Story) -> None:
    draft = story.period()
    draft.asked.signer = "stranger"
    _invalid(story, draft, "notification")


def masked_and_forged(story: Story) -> None:
    """The gateway itself masks cards: bytes that are exact hide nothing."""
    draft = story.period()
    draft.data["subscriptionPaymentDetail"]["cardNo"] = "444433******1111"
    draft.asked.signer = "stranger"
    _invalid(story, draft, "notification")
    story.expect(draft, "notification", "/data/subscriptionPaymentDetail/cardNo", "unknown-field", note=True)


def _absent(story: Story, draft: Draft, part: str) -> None:
    draft.side(part).signer = None
    draft.side(part).verdict = ("absent", "absent")
    story.expect(draft, part, _SIGN, "signature-absent")


def no_signature(story: Story) -> None:
    draft = story.order()
    _refused(draft)
    _absent(story, draft, "request")


def no_signature_of_answer(story: Story) -> None:
    _absent(story, story.ask(), "response")


def no_signature_of_notification(story: Story) -> None:
    _absent(story, story.transfer(), "notification")


def no_signature_of_unshown(story: Story) -> None:
    _absent(story, story.paid(), "notification")


def _signs(story: Story, change: Callable[[str], list[str]], why: str) -> None:
    draft = story.order()
    draft.asked.signs = change
    _refused(draft)
    _invalid(story, draft, "request", why, ("records", "har", "packed"))


def newline_in_signature(story: Story) -> None:
    _signs(story, lambda true: [true + "\n"], "refused")


def lines_in_signature(story: Story) -> None:
    _signs(story, lambda true: ["\r\n ".join(true[at : at + 76] for at in range(0, len(true), 76))], "refused")


def other_alphabet(story: Story) -> None:
    _signs(story, lambda true: [true[:-6] + "_-" + true[-4:]], "refused")


def no_padding(story: Story) -> None:
    _signs(story, lambda true: [true.rstrip("=")], "refused")


def spare_bits(story: Story) -> None:
    """Other letters that stand for the same bytes."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    _signs(story, lambda true: [true[:-3] + letters[letters.index(true[-3]) + 1] + "=="], "refused")


def empty_signature(story: Story) -> None:
    _signs(story, lambda true: [""], "refused")


def two_signatures(story: Story) -> None:
    _signs(story, lambda true: [true, b64encode(bytes(256)).decode()], "several")


def the_same_twice(story: Story) -> None:
    _signs(story, lambda true: [true, true], "refused")


def _snap(
    story: Story, change: Callable[[str], list[str]], code: str, verdict: tuple[str, str], at: tuple[str, ...]
) -> None:
    draft = story.bank()
    story.forms = at
    draft.asked.snap = change
    draft.asked.snap_verdict = verdict
    story.expect(draft, "request", _SNAP, code)


def snap_of_other_bytes(story: Story) -> None:
    """How the signature is built is not shown, so that it may hold in another form."""
    draft = story.bank()
    draft.asked.snap = lambda true: [b64encode(bytes(256)).decode()]
    draft.asked.snap_verdict = ("unverifiable", "other_form")
    story.forms = EXACT


def no_snap(story: Story) -> None:
    _snap(story, lambda true: [], "signature-absent", ("absent", "absent"), ("records", "har", "packed"))


def two_snaps(story: Story) -> None:
    _snap(story, lambda true: [true, true], "signature-invalid", ("invalid", "several"), ("records", "har", "packed"))


def snap_newline(story: Story) -> None:
    draft = story.bank()
    draft.asked.snap = lambda true: [true + "\n"]
    draft.asked.snap_verdict = ("unverifiable", "other_form")
    story.forms = EXACT


# What a capture lost is no finding; why nothing can be told is.


def parsed(story: Story) -> None:
    draft = story.order()
    draft.asked.shown = "parsed"
    _changed(story, draft, "request", ("records",))


def parsed_and_changed(story: Story) -> None:
    draft = story.order()
    story.forms = ("records",)
    draft.asked.sent = lambda raw: raw.replace(b"Tickets", b"(not shown)")
    draft.asked.shown, draft.asked.verdict = "parsed", ("unverifiable", "body_parsed")


def parsed_with_fault(story: Story) -> None:
    """What is written again as it was sent has the signature: the fault was sent."""
    draft = story.ask()
    assert draft.told is not None
    draft.told.shown = "parsed"
    draft.told.value["data"]["trade"]["currency"] = "dollars"
    _changed(story, draft, "response", ("records",))
    story.expect(draft, "response", "/data/trade/currency", "format")


def parsed_snap(story: Story) -> None:
    draft = story.bank()
    draft.asked.shown, draft.asked.snap_verdict = "parsed", ("unverifiable", "body_parsed")
    _changed(story, draft, "request", ("records",))


def body_lost(story: Story) -> None:
    draft = story.ask()
    assert draft.told is not None
    draft.told.shown, draft.told.verdict = "lost", ("unverifiable", "body_lost")


def notification_lost(story: Story) -> None:
    draft = story.transfer()
    story.forms = ("records",)  # elsewhere nothing says what it was
    draft.asked.shown, draft.asked.verdict = "lost", ("unverifiable", "body_lost")
    draft.asked.value["notifyType"] = "RECEIVE"


def text_changed(story: Story) -> None:
    """A text that the capture has, and that does not fit: who changed it, nobody knows."""
    draft = story.order()
    story.forms = ("har",)
    draft.asked.sent = lambda raw: raw.replace(b"Tickets", b"T\xc3\xaftres")
    draft.asked.verdict = ("unverifiable", "bytes_lost")


def text_record_changed(story: Story) -> None:
    draft = story.ask()
    story.forms = ("records",)
    assert draft.told is not None
    draft.told.shown, draft.told.verdict = "text", ("unverifiable", "bytes_lost")
    draft.told.sent = lambda raw: raw.replace(b'"10.50"', b'"{{amount}}"')


def truncated(story: Story) -> None:
    draft = story.ask()
    story.forms = ("har",)
    assert draft.told is not None
    draft.told.shown, draft.told.verdict = "truncated", ("unverifiable", "truncated")


def truncated_request(story: Story) -> None:
    draft = story.order()
    story.forms = ("har",)
    draft.asked.shown, draft.asked.verdict = "truncated", ("unverifiable", "truncated")


def truncated_by_length(story: Story) -> None:
    """A record that has less than its own Content-Length says."""
    draft = story.ask()
    story.forms = ("records",)
    assert draft.told is not None
    draft.told.headers.append(["Content-Length", str(len(draft.told.encoded()))])
    draft.told.sent = lambda raw: raw[: len(raw) // 2]
    draft.told.verdict = ("unverifiable", "truncated")


def packed_before_signing(story: Story) -> None:
    """What was signed was packed, and a HAR file shows it unpacked."""
    draft = story.ask()
    story.forms = ("har",)
    assert draft.told is not None
    draft.told.made = lambda raw: gzip.compress(raw, mtime=0)
    draft.told.headers.append(["Content-Encoding", "gzip"])
    draft.told.shown, draft.told.verdict = "unpacked", ("unverifiable", "reencoded")


def symmetric(story: Story) -> None:
    draft = story.bank()
    draft.asked.snap = lambda true: [b64encode(bytes(64)).decode()]
    draft.asked.snap_verdict = ("unverifiable", "symmetric")


# What looks odd and holds.


def packed_on_the_wire(story: Story) -> None:
    draft = story.ask()
    story.forms = EXACT
    assert draft.told is not None
    draft.told.headers.append(["Content-Encoding", "gzip"])
    draft.told.sent = lambda raw: gzip.compress(raw, mtime=0)


def text_that_holds(story: Story) -> None:
    draft = story.order(data={"subject": "Zwölf Karten ☕"})
    story.forms = ("records",)
    draft.asked.shown = "text"


def other_character_set(story: Story) -> None:
    draft = story.order(data={"subject": "Zwölf Karten"})
    story.forms = ("har",)
    draft.asked.header("Content-Type", "application/json; charset=ISO-8859-1")
    draft.asked.made = lambda raw: raw.decode().encode("latin-1")
    draft.asked.shown = "latin-1"
    _changed(story, draft, "request", ("har",))
    story.expect(draft, "request", "", "json")


def mark_dropped(story: Story) -> None:
    """A tool that decodes drops the byte order mark that was signed: the signature proves it."""
    draft = story.ask()
    assert draft.told is not None
    _changed(story, draft, "response", ("har",))
    story.expect(draft, "response", "", "json")
    draft.told.made = lambda raw: b"\xef\xbb\xbf" + raw


def certain_har(story: Story) -> None:
    draft = story.ask()
    assert draft.told is not None
    draft.told.shown = "base64"
    draft.told.sent = lambda raw: raw.replace(b'"10.50"', b'"10.51"')
    _invalid(story, draft, "response", forms=("har",))


SIGNATURES: Final = (
    changed_after, changed_request, changed_though_accepted, masked_and_forged, changed_notification, changed_unshown, newline_behind, space_behind_answer,
    written_anew, sorted_anew, escaped_anew, mark_put_before, strange_key, own_key, strange_notification, no_signature,
    no_signature_of_answer, no_signature_of_notification, no_signature_of_unshown, newline_in_signature,
    lines_in_signature, other_alphabet, no_padding, spare_bits, empty_signature, two_signatures, the_same_twice,
    snap_of_other_bytes, no_snap, two_snaps, snap_newline, parsed, parsed_and_changed, parsed_with_fault, parsed_snap, body_lost,
    notification_lost, text_changed, text_record_changed, truncated, truncated_request, truncated_by_length,
    packed_before_signing, symmetric, packed_on_the_wire, text_that_holds, other_character_set, mark_dropped, certain_har,
)  # fmt: skip
