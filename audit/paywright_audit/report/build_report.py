"""Build the report from a merged partial result: apply severities and the baseline, and compute places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from paywright.contract import CONTRACT
from paywright_audit.input.addresses import shown_address
from paywright_audit.input.times import written
from paywright_audit.judging.blame import party_in
from paywright_audit.judging.findings import RULES, GroupKey, Other, Severity, rank_of
from paywright_audit.judging.signatures import LOST, MessageVerdict
from paywright_audit.report.model import Evidence, Group, Judged, OtherExchange, Report, Totals, Unread
from paywright_audit.result.partial_result import Group as Found
from paywright_audit.result.partial_result import PartialResult, Picked, Place, PlacedFinding
from paywright_audit.settings.audit_settings import REQUIRED, AuditSettings
from paywright_audit.settings.config import severity_in
from paywright_runtime.redaction import visible
from paywright_runtime.version import VERSION

_STATES = ("valid", "invalid", "unverifiable", "absent")
_STRAYS_OF_ONE = 10
"""The most answers to other requests that are the capture's for each that cannot be the gateway's."""
_OF_KEYS = ("signature-invalid", "signature-absent")


def build_report(partial: PartialResult, settings: AuditSettings, names: Sequence[str], shown: FindingView) -> Report:
    """Build the report of a merged partial result. `names` are the inputs as given."""
    baseline = settings.baseline or {}
    signatures = {state: sum(n for (at, _), n in partial.signatures.items() if at == state) for state in _STATES}
    unheld = [_unheld(side, partial, shown, baseline) for side in shown.unheld]
    groups = [_group(key, found, shown, baseline) for key, found in partial.groups.items()]
    groups += unheld
    if shown.misjoined:
        words = f"{partial.early} answers came before what they are about was placed or asked for: the capture has answers beside other requests"
        groups.append(_one(GroupKey("answers-misjoined", "", "capture", ""), words, shown, baseline))
    groups.sort(
        key=lambda one: (-one.severity.weight, rank_of(one.code), one.operation, one.part, one.pattern, one.code)
    )
    return Report(
        tool=f"paywright {VERSION}, contract {CONTRACT.digest[:12]}",
        files=tuple(map(shown_name, _files(partial, names))),
        totals=_totals(partial, groups, settings.fail_on),
        judged=_judged(partial, settings, signatures),
        signatures=signatures,
        unverifiable={
            LOST[why]: n for (state, why), n in sorted(partial.signatures.items()) if state == "unverifiable"
        },
        operations=dict(sorted(partial.operations.items())),
        groups=tuple(groups),
        unreadable=tuple(
            Unread(shown_name(one.file), shown.name(one) or "the file", one.why) for one in partial.broken
        ),
        showing=settings.showing.value,
        fail_on=settings.fail_on,
    )


class FindingView:
    """Places and severities of the findings of a merged partial result.

    It can be pickled, and holds no key.
    """

    def __init__(self, partial: PartialResult, settings: AuditSettings) -> None:
        self._severities = settings.config
        self.unheld: list[str] = [side for side in ("gateway", "merchant") if _holds_nowhere(partial, side)]
        strays = sum(group.count for key, group in partial.groups.items() if key.code == "echo")
        self.misjoined: bool = 0 < strays <= partial.early * _STRAYS_OF_ONE
        self._units = partial.units

    def severity(self, key: GroupKey) -> Severity:
        """Return the severity of a finding: a note, if it is about one of many signatures none of which holds, or misjoined."""
        one_of_all = key.code in _OF_KEYS and party_in(key) in self.unheld
        return (
            Severity.NOTE
            if one_of_all or (key.code == "echo" and self.misjoined)
            else severity_in(self._severities, key)
        )

    def name(self, place: Place | Picked) -> str:
        """Return a place as text, such as `line 7`; "" without one."""
        unit = self._units.get(place.file, "") if place.unit is None else place.unit
        return unit and f"{unit} {place.number}"

    def evidence(self, found: PlacedFinding) -> Evidence:
        """Return evidence with its place and time as text."""
        place, finding = found.place, found.finding
        at = "" if found.at is None else written(found.at)
        value = None if finding.value is None else str(finding.value)
        said = finding.pointer, finding.message, value
        return Evidence(shown_name(place.file), self.name(place), at, *said, found.spot, self.other(finding.other))

    def other(self, other: Other | None) -> OtherExchange | None:
        """Return the place and time of another exchange as text."""
        if other is None:
            return None
        place = Place(other.file, other.number, None)
        return OtherExchange(shown_name(other.file), self.name(place), written(other.at))


def _files(partial: PartialResult, names: Sequence[str]) -> Iterator[str]:
    """Yield the inputs as given, then the other files that exchanges name."""
    yield from names
    others = {*partial.units, *(one.file for one in partial.broken)} - {*names, ""}
    yield from sorted(name for name in others if "\0" not in name)


def shown_name(name: str) -> str:
    """Return the name of an input as reports show it."""
    return "standard input" if name == "-" else visible(shown_address(name.partition("\0")[0]))


def _group(key: GroupKey, found: Found, shown: FindingView, baseline: Mapping[str, int]) -> Group:
    evidence = tuple(map(shown.evidence, found.evidence))
    rule = RULES.get(key.code)
    known = min(found.count, baseline.get(key.id, 0))
    return Group(
        id=key.id,
        code=key.code,
        severity=shown.severity(key),
        operation=key.operation,
        part=key.part,
        pattern=key.pattern,
        count=found.count,
        new=found.count > known,
        known=known,
        message=rule.words if rule is not None else evidence[0].message if evidence else "",
        contract=found.contract,
        evidence=evidence,
        by=party_in(key),
    )


def _one(key: GroupKey, words: str, shown: FindingView, baseline: Mapping[str, int]) -> Group:
    """Return the group of a finding about the whole capture, which has no evidence."""
    found = Found("")
    found.count = 1
    return replace(_group(key, found, shown, baseline), message=words)


def _holds_nowhere(partial: PartialResult, side: str) -> bool:
    """Return whether a key of a side was given, and no signature of it holds: then none by itself accuses anybody."""
    wrong, altered = (partial.sides[side, one] for one in (MessageVerdict.WRONG, MessageVerdict.ALTERED))
    return not partial.sides[side, MessageVerdict.PROVEN] and (altered > 0 or wrong > 1)


def _unheld(side: str, partial: PartialResult, shown: FindingView, baseline: Mapping[str, int]) -> Group:
    number = partial.sides[side, MessageVerdict.WRONG] + partial.sides[side, MessageVerdict.ALTERED]
    words = f"in {number} messages of the {side} no signature holds: another key, or a capture that altered or hides it"
    return _one(GroupKey("no-signature-holds", "", "capture", side), words, shown, baseline)


def _totals(partial: PartialResult, groups: list[Group], fail_on: Severity) -> Totals:
    counts: Counter[str] = Counter()
    for group in groups:
        counts[group.severity] += group.count
        if group.severity is not Severity.NOTE:
            counts["known"] += group.known
        if group.severity.weight >= fail_on.weight:
            counts["failing"] += group.count - group.known
    return Totals(
        exchanges=partial.exchanges,
        matched=partial.matched,
        unmatched=partial.exchanges - partial.matched,
        unreadable=partial.unreadable,
        unanswered=partial.unanswered,
        unjudged=partial.unjudged,
        untimed=partial.untimed,
        copies=partial.copies,
        findings=counts[Severity.ERROR] + counts[Severity.WARNING],
        errors=counts[Severity.ERROR],
        warnings=counts[Severity.WARNING],
        notes=counts[Severity.NOTE],
        known=counts["known"],
        failing=counts["failing"],
    )


def _judged(partial: PartialResult, settings: AuditSettings, states: Mapping[str, int]) -> Judged:
    proven = states["valid"] + states["invalid"]
    due = proven + states["unverifiable"]
    times, bodies = partial.matched - partial.untimed, partial.judged
    there = {
        "exchanges": bool(partial.matched),
        "bodies": bool(bodies) or not partial.unjudged,
        "signatures": bool(proven) or not due,
        "times": bool(times) or not partial.matched,
    }
    nothing = tuple(name for name in REQUIRED if not there[name])
    swapped = partial.signatures["invalid", "swapped"]
    return Judged(
        bodies=bodies,
        bodies_of=bodies + partial.unjudged,
        signatures=proven,
        signatures_of=due,
        times=times,
        times_of=partial.matched,
        swapped=swapped if swapped > states["valid"] else 0,
        nothing=nothing,
        altered=sum(n for (_, evidence), n in partial.sides.items() if evidence == MessageVerdict.ALTERED),
        odd=dict(sorted(partial.odd.items())),
        required=tuple(name for name in nothing if name in settings.require),
        apart=round(partial.apart, 3),
        complete=settings.complete,
        blind=partial.blind.total(),
        zones=dict(sorted(partial.zones.items())),
    )
