"""Decide which findings about an exchange count, by the verdict on the evidence of each of its messages.

docs/audit.md has the table: "What is evidence". A message that proves nothing is one note, and nothing in it is held against anybody, here
or by the rules across exchanges.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from paywright_audit.input.records import Exact, Parsed
from paywright_audit.judging.clocks import SIGNATURE_CODES, is_accepted
from paywright_audit.judging.findings import Finding
from paywright_audit.judging.judged_exchange import Due, JudgedExchange
from paywright_audit.judging.signatures import ACCEPTED, REFUSED, Keys, MessageVerdict, SignatureVerdict

SIGN: Final = "@header/sign"
SNAP_SIGN: Final = "@header/X-SIGNATURE"
_SHOWN: Final = 3
_FORMS: Final = ("format", "type", "required")
_NOT_CONTENT: Final = ("@status", "@method", SIGN, SNAP_SIGN)


def by_the_answer(
    judged: JudgedExchange, told: Sequence[tuple[Due, SignatureVerdict]]
) -> list[tuple[Due, SignatureVerdict]]:
    """Return the verdicts, with what the gateway's proven answer shows of the merchant's signature."""
    facts = judged.facts
    answer = next((verdict for (side, *_), verdict in told if side), None)
    code = None if facts is None else facts.code_of(judged.answered)
    if facts is None or facts.operation.inbound or answer is None or answer.state != "valid" or code is None:
        return [*told]
    accepted, refused = is_accepted(code, proven=True), code in SIGNATURE_CODES
    found = []
    for due, verdict in told:
        if due[0] == 0 and due[-1] is None:
            evidence = verdict.evidence
            if accepted and evidence is MessageVerdict.WRONG:
                verdict = ACCEPTED
            elif refused and (verdict.why == "repaired" or evidence is MessageVerdict.ALTERED):
                verdict = REFUSED
        found.append((due, verdict))
    if accepted:
        judged.excused = [one for one in judged.excused if one.unless != "accepted"]
    return found


def settle(judged: JudgedExchange, told: Sequence[tuple[Due, SignatureVerdict]], keys: Keys) -> None:
    """Keep the findings that the evidence bears out. What a message seems to break that proves nothing is one note."""
    facts = judged.facts
    notes: dict[int, list[Finding]] = {0: [], 1: []}
    stamped = not keys.given
    for (side, _, _, path), verdict in told:
        judged.signatures.append(verdict)
        evidence, before = verdict.evidence, judged.evidence[side]
        if path is not None:
            stamped = stamped or evidence is not MessageVerdict.ALTERED
        if before is None or evidence is MessageVerdict.PROVEN:
            judged.evidence[side] = evidence
        name, part = facts.name if facts is not None else "", judged.parts[side]
        if verdict.why == "repaired":
            words = f"the capture changed it: its signature is valid {verdict.words}"
            notes[side].append(Finding(name, part, "", "capture-changed", words))
        elif verdict.state != "valid" and verdict.why != "no_key":
            pointer = SIGN if path is None else SNAP_SIGN
            found = Finding(name, part, pointer, f"signature-{verdict.state}", verdict.words)
            (notes[side] if verdict.state == "unverifiable" else judged.findings).append(found)
    for side in (0, 1):
        body, reading = judged.sides[side].body, judged.read[side]
        exact = isinstance(body, Exact)
        unsigned = MessageVerdict.UNPROVEN if exact or not keys.given else MessageVerdict.ALTERED
        evidence = judged.evidence[side] or unsigned
        unfit = any(due[0] == side and verdict.state == "invalid" for due, verdict in told)
        sure = exact or evidence in (MessageVerdict.PROVEN, MessageVerdict.WRONG)
        for one in judged.excused:
            if one.side == side and (
                one.unless == "accepted" or (one.unless == "hidden" and sure) or (one.unless == "unsigned" and stamped)
            ):
                judged.findings.append(one.finding)
        folded: list[Finding] = []
        if evidence in (MessageVerdict.PARTIAL, MessageVerdict.ALTERED):
            folded = _taken(judged, side, lambda one: True)
            if told and any(due[0] == side for due, _ in told):
                judged.withdraw(side)
        elif evidence is MessageVerdict.WRONG:
            if side and unfit and type(judged.answered) is dict:
                judged.lost = True  # the receiver may have had another one
            judged.distrust(side)
        elif evidence is MessageVerdict.UNPROVEN and isinstance(body, Parsed) and not body.redacted:
            # Of a value that was parsed, the form may be the tool's.
            folded = _taken(judged, side, lambda one: one.code in _FORMS)
        if reading is not None and reading.wrapped and evidence is not MessageVerdict.PROVEN:
            words = f"a tool seems to have changed it: it is judged {reading.wrapped}"
            notes[side].append(Finding(facts.name if facts else "", judged.parts[side], "", "capture-changed", words))
        judged.findings.extend(_noted(judged, side, notes[side], folded))
    judged.excused.clear()


def _taken(judged: JudgedExchange, side: int, about: Callable[[Finding], bool]) -> list[Finding]:
    """Take findings about the content of a message out of those of the exchange."""
    part = judged.parts[side]
    taken = [one for one in judged.findings if one.part == part and one.pointer not in _NOT_CONTENT and about(one)]
    judged.findings = [one for one in judged.findings if one not in taken]
    return taken


def _noted(judged: JudgedExchange, side: int, notes: list[Finding], folded: Sequence[Finding]) -> list[Finding]:
    """Return the notes about a message, with the findings that prove nothing in the first."""
    if not folded:
        return notes
    said = ", ".join(dict.fromkeys(f"{one.code} at {one.pointer or 'the whole'}" for one in folded[:_SHOWN]))
    more = f" and {len(folded) - _SHOWN} more" if len(folded) > _SHOWN else ""
    words = f"what it seems to break is no evidence: {said}{more}"
    if not notes:
        name = judged.facts.name if judged.facts is not None else ""
        return [Finding(name, judged.parts[side], "", "capture-changed", f"nothing proves this text, and {words}")]
    return [notes[0]._replace(message=f"{notes[0].message}; {words}"), *notes[1:]]
