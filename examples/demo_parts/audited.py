"""The traffic of the whole demo, as the sandbox saw it, judged by the audit: schema, headers and signatures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from demo_parts.gateway import Gateway, run
from demo_parts.words import expect, step, title
from paywright import Client, GatewayError, OutcomeUnknown
from paywright.contract import CONTRACT
from paywright_cli.commands.call import arguments_of_example

__all__ = ["audited", "rest"]


def rest(client: Client, gateway: Gateway, folder: Path) -> set[str]:
    """Call what no chapter above calls, as what was added to the contract a moment ago: by its example message.

    Return the names of the operations that were refused: the sandbox does not play them yet.
    """
    *_, summary = judged(gateway, folder)
    refused = set()
    for operation in map(CONTRACT.operation, CONTRACT.operations()):
        if operation.inbound or operation.name in summary["operations"]:
            continue
        title(f"{operation.name}, as its example has it")
        try:
            answer = client.call_by_name(operation.name, arguments_of_example(CONTRACT, operation)).answer
            step(f"{operation.name}: {answer.code}")
        except (GatewayError, OutcomeUnknown) as error:
            expect(error.code is not None, "the gateway's answer is signed, whatever it says")
            step(f"{operation.name}: {error.code}, verified")
            refused.add(operation.name)
    return refused


def judged(gateway: Gateway, folder: Path) -> list[dict[str, Any]]:
    """Return what the audit says of all that the sandbox saw so far; its summary comes last."""
    log, keys = folder / "session.jsonl", folder / "keys"
    run("sandbox", "log", "--url", gateway.address, "--dir", str(folder), "--output", str(log))
    signed = ("--merchant-key", str(keys / "merchant.pub"), "--gateway-key", str(keys / "gateway.pub"))
    return [json.loads(line) for line in run("audit", str(log), *signed, "--format", "json").splitlines()]


def audited(gateway: Gateway, folder: Path, refused: set[str]) -> None:
    """Audit all that the sandbox saw, where it refused what has no life there."""
    title("What the sandbox saw")
    *said, summary = judged(gateway, folder)
    findings = [line for line in said if line["type"] == "finding"]
    notes = [(line["operation"], line["part"], line["code"]) for line in said if line["type"] == "note"]
    step(f"paywright audit: {summary['exchanges']} exchanges, {summary['signatures']['valid']} valid signatures")
    expect(not findings, f"nothing breaks the contract, not {[finding['code'] for finding in findings]}")
    again = ("notifications.receive", "answer", "not-acknowledged")
    expect(again in notes, f"the 503 of the shop is noted, in {notes}")
    expect(summary["signatures"]["invalid"] + summary["signatures"]["absent"] == 0, "every message is signed")
    step(f"no finding; it is noted that the shop asked for a notification again: {', '.join(again)}")
    # What the sandbox does not play yet, it notifies nobody of.
    silent = {
        operation.name
        for operation in map(CONTRACT.operation, CONTRACT.operations())
        if operation.about is not None and operation.about[0] in refused
    }
    missing = set(CONTRACT.operations()) - set(summary["operations"]) - silent
    expect(not missing, f"every operation was called: {', '.join(sorted(missing))} was not")
    step(f"all {len(CONTRACT.operations()) - len(silent)} operations and notifications of the contract were among them")
