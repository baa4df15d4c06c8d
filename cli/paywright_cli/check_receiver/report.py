"""Print results as text or JSON lines. Bodies of responses are never printed."""

from __future__ import annotations

import json
from collections import Counter
from typing import Final

from paywright_cli.check_receiver.verdicts import Check, CheckResult
from paywright_cli.common.terminal import paint, say, say_json

__all__ = ["CheckReport"]

_COLOURS: Final = {"ok": "green", "wrong": "red", "note": "yellow", "skipped": "dim"}
_WIDTH: Final = 26


class CheckReport:
    """Prints each result as it comes, as text or, with `lines`, as a JSON object."""

    def __init__(self, *, lines: bool) -> None:
        self._lines = lines
        self.verdicts: Counter[str] = Counter()

    def add(self, check: Check, result: CheckResult) -> None:
        """Print a result."""
        self.verdicts[result.verdict] += 1
        if self._lines:
            self._print(
                {
                    "check": check.name,
                    "group": check.group,
                    "verdict": result.verdict,
                    "sent": check.sent,
                    "came": result.response,
                    "detail": result.detail,
                    "why": check.why,
                    "do": check.todo,
                    "sections": list(check.sections),
                }
            )
            return
        verdict = paint(f"{result.verdict:<8}", _COLOURS[result.verdict])
        tail = f"; {result.detail}" if result.detail and result.verdict in ("ok", "skipped") else ""
        say(f"{verdict}{check.name:<{_WIDTH}}{result.response + tail}".rstrip("; ").replace("  ; ", "  "))
        if result.verdict in ("wrong", "note"):
            pad = " " * 8
            say(f"{pad}sent: {check.sent} [{', '.join(check.sections)}]")
            say(f"{pad}{paint('found:', 'bold')} {result.detail}")
            if result.verdict == "wrong":
                say(f"{pad}why it matters: {check.why}")
                say(f"{pad}do: {check.todo}")

    def end(self, trouble: str = "") -> None:
        """Print the summary."""
        counts = {name: self.verdicts[name] for name in ("ok", "wrong", "note", "skipped")}
        if self._lines:
            self._print({"checks": sum(counts.values()), **counts, **({"trouble": trouble} if trouble else {})})
            return
        words = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
        say("", f"{sum(counts.values())} checks: {words or 'none was made'}.")

    @staticmethod
    def _print(record: dict[str, object]) -> None:
        say_json(json.dumps(record, ensure_ascii=False))
