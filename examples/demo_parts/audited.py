"""The traffic of the whole demo, as the sandbox saw it, judged by the audit: schema, headers and signatures."""

from __future__ import annotations

import json
from pathlib import Path

from demo_parts.gateway import Gateway, run
from demo_parts.words import expect, step, title
from paywright.contract import CONTRACT

__all__ = ["audited"]


def audited(gateway: Gateway, folder: Path) -> None:
    title("What the sandbox saw")
    log, keys = folder / "session.jsonl", folder / "keys"
    run("sandbox", "log", "--url", gateway.address, "--dir", str(folder), "--output", str(log))
    signed = ("--merchant-key", str(keys / "merchant.pub"), "--gateway-key", str(keys / "gateway.pub"))
    *said, summary = map(json.loads, run("audit", str(log), *signed, "--format", "json").splitlines())
    findings = [line for line in said if line["type"] == "finding"]
    notes = [(line["operation"], line["part"], line["code"]) for line in said if line["type"] == "note"]
    step(f"paywright audit: {summary['exchanges']} exchanges, {summary['signatures']['valid']} valid signatures")
    expect(not findings, f"nothing breaks the contract, not {[finding['code'] for finding in findings]}")
    again = ("notifications.receive", "answer", "not-acknowledged")
    expect(again in notes, f"the 503 of the shop is noted, in {notes}")
    expect(summary["signatures"]["invalid"] + summary["signatures"]["absent"] == 0, "every message is signed")
    step(f"no finding; it is noted that the shop asked for a notification again: {', '.join(again)}")
    missing = set(CONTRACT.operations()) - set(summary["operations"])
    expect(not missing, f"every operation was called: {', '.join(sorted(missing))} was not")
    step(f"all {len(CONTRACT.operations())} operations and notifications of the contract were among them")
