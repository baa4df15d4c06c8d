"""What the shop's ledger remembers of the whole demo, and the shop's endpoint under all that may ever come."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from demo_parts.gateway import run
from demo_parts.shop import Shop
from demo_parts.words import expect, step, title

__all__ = ["checked", "remembered"]


def remembered(shop: Shop) -> None:
    """Show what the shop's ledger remembers."""
    title("What the shop remembers")
    listed = run("notifications", "list", "--ledger", str(shop.database), "--most", "100", "--format", "json")
    entries = json.loads(listed)
    expect({entry["status"] for entry in entries} == {"done"}, "every effect is there, and nothing is left over")
    expect(len({entry["key"] for entry in entries}) == len(entries), "each effect is there once")
    kinds = Counter(entry["kind"] for entry in entries)
    expect(kinds["RECEIVE"] == 4 and kinds["SUBSCRIPTION_PAYMENT"] == 3, f"transfers and periods are there: {kinds}")
    duplicates = shop.outcomes.count("duplicate")
    step(f"paywright notifications list: {len(entries)} effects, each once; {duplicates} deliveries were duplicates")
    step(", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))


def checked(shop: Shop, folder: Path) -> None:
    """Check the shop's endpoint as `check-receiver` does."""
    title("The shop's endpoint, checked")
    where = (f"{shop.address}/transfers", "--dir", str(folder), "--bill", "BILL_1:100")
    said = run("sandbox", "check-receiver", *where, "--json")
    *found, total = map(json.loads, said.splitlines())
    wrong = [one["check"] for one in found if one["verdict"] == "wrong"]
    expect(not wrong and total["ok"] > 40, f"nothing is wrong with a Receiver, not {wrong}")
    step(f"paywright sandbox check-receiver: {total['checks']} checks, {total['ok']} ok, nothing wrong")
    for one in found:
        if one["verdict"] == "note":
            step(f"a note, {one['check']}: {one['detail']}")
