"""What was found, for a person and for a machine. Neither holds a body: the endpoint's answers are its own affair."""

from __future__ import annotations

import json
from collections import Counter
from typing import Final

from paywright_tools.sandbox.conformance.verdicts import Check, Result
from paywright_tools.terminal import paint, plain, say

__all__ = ["Report"]

_COLOURS: Final = {"ok": "green", "wrong": "red", "note": "yellow", "skipped": "dim"}
_WIDTH: Final = 26


class Report:
    """Prints each result as it comes; `lines` prints a JSON object for each instead."""

    def __init__(self, *, lines: bool) -> None:
        self._lines = lines
        self.verdicts: Counter[str] = Counter()

    def add(self, check: Check, result: Result) -> None:
        """Prints one."""
        self.verdicts[result.verdict] += 1
        if self._lines:
            self._print(
                {
                    "check": check.name,
                    "group": check.group,
                    "verdict": result.verdict,
                    "sent": check.sent,
                    "came": result.came,
                    "detail": result.detail,
                    "why": check.why,
                    "do": check.todo,
                    "sections": list(check.sections),
                }
            )
            return
        verdict = paint(f"{result.verdict:<8}", _COLOURS[result.verdict])
        tail = f"; {result.detail}" if result.detail and result.verdict in ("ok", "skipped") else ""
        say(f"{verdict}{check.name:<{_WIDTH}}{plain(result.came + tail)}".rstrip("; ").replace("  ; ", "  "))
        if result.verdict in ("wrong", "note"):
            pad = " " * 8
            say(f"{pad}sent: {check.sent} [{', '.join(check.sections)}]")
            say(f"{pad}{paint('found:', 'bold')} {plain(result.detail)}")
            if result.verdict == "wrong":
                say(f"{pad}why it matters: {check.why}")
                say(f"{pad}do: {check.todo}")

    def end(self, trouble: str = "") -> None:
        """Prints the sum."""
        counts = {name: self.verdicts[name] for name in ("ok", "wrong", "note", "skipped")}
        if self._lines:
            self._print({"checks": sum(counts.values()), **counts, **({"trouble": trouble} if trouble else {})})
            return
        words = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
        say(f"\n{sum(counts.values())} checks: {words or 'none was made'}.")

    @staticmethod
    def _print(record: dict[str, object]) -> None:
        say(json.dumps(record, ensure_ascii=False))
