"""The README and the guides: their blocks, run in the order of each page, do what the page says.

A page begins with an empty environment and an empty folder.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from paywright import LedgerProblem
from paywright_receiver import SqliteLedger
from tests.docs.reader import Reader, blocks
from tests.support.recorded import findings_of

GUIDES = ("start", "refunds", "signatures", "stuck", "ledger", "moving")


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    # As `paywright` finds its programs, so the shell of a page: by PATH, also for Popen.
    reader = Reader(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", reader.env["PATH"])
    yield reader
    reader.leave()


def shop_with_a_ledger(reader: Reader) -> None:
    """What docs/ledger.md begins with: settings, and a shop with an order, whose file has lost a page."""
    reader.follow("sh", "paywright sandbox init shop --port 8787\nset -a; . shop/.env; set +a\n")
    SqliteLedger("shop.db").close()
    with closing(sqlite3.connect("shop.db")) as db, db:
        db.execute("CREATE TABLE payments (number TEXT PRIMARY KEY, amount TEXT, state TEXT)")
        db.execute("INSERT INTO payments VALUES ('ORD_1', '10.50', 'PLACED')")
    with open("shop.db", "r+b") as file:
        file.seek(4 * 4096)
        file.write(bytes(4096))
    with pytest.raises(LedgerProblem, match=r"It is damaged.*docs/ledger\.md"):
        SqliteLedger("shop.db").check_whole()


@pytest.mark.slow
def test_everything_the_readme_shows_works_in_its_order(reader: Reader, capsys: pytest.CaptureFixture[str]) -> None:
    shown = blocks("README.md")
    for language, text in shown:
        reader.follow(language, text)
    # Whoever runs its programs again, because that is what one does, sees the same again.
    for text in [text for language, text in shown if language == "python"]:
        reader.follow("python", text)
    printed = capsys.readouterr().out
    assert printed.count("PENDING APPLY_SUCCESS") == 2
    assert printed.count("REFUND_PENDING\n") == 2
    assert f"http://127.0.0.1:{reader.port}/_sandbox/cashier/" in printed
    assert printed.count("SUCCESS inquiry") == 2, "what the follower learned"
    reader.shell("paywright sandbox log --dir shop --output everything.jsonl")
    assert findings_of((reader.folder / "everything.jsonl").read_bytes(), reader.folder / "shop") == []


PRINTED = {
    "start": (
        "/_sandbox/cashier/", "SUCCESS True True", "REFUND_PENDING REFUND_PENDING", "/data/outTradeNo format",
        "/data/refundAmount: type", " unsigned",
    ),
    "refunds": ("accepted", "asked for already", "REF_ORD_1_0 REFUND_SUCCESS 4.25 USD", "refused: "),
    "ledger": ("ORD_1 is followed again",),
}  # fmt: skip
"""What the programs of a page print, beside what its commands do."""

SHOWN = {
    "signatures": (
        "exit code 4", "exit code 6", "ok  shop/keys/merchant.pub: the public key of that private key",
        "ok  seen.jsonl, line 1, response: signed by shop/keys/gateway.pub", "An unknown key signed it",
    ),
    "stuck": ("write SUCCESS to the row of ORD_7", "1 asked about, 1 handled; nothing is open"),
    "moving": ("Open items of app_sandbox_1 that belong to", "1 moved to", "an order has ended", "0 asked about, 0 handled; nothing is open"),
}  # fmt: skip
"""What the commands of a page print."""


@pytest.mark.slow
@pytest.mark.parametrize("name", GUIDES)
def test_a_guide_works_in_its_order(name: str, reader: Reader, capsys: pytest.CaptureFixture[str]) -> None:
    if name == "ledger":
        if shutil.which("sqlite3") is None:
            pytest.skip("the page needs the program sqlite3")
        shop_with_a_ledger(reader)
    for language, text in blocks(f"docs/{name}.md"):
        reader.follow(language, text)
    printed = capsys.readouterr().out
    for words in PRINTED.get(name, ()):
        assert words in printed
    for words in SHOWN.get(name, ()):
        assert words in reader.shown
    if name == "start":
        (transfer,) = reader.received(" 40.00 USD")
        assert transfer.endswith("-> handled (200)")
        assert reader.received(" CHECK"), "what check-receiver sends"


@pytest.mark.parametrize("page", ["README.md", *(f"docs/{name}.md" for name in GUIDES)])
def test_there_is_something_to_run(page: str) -> None:
    assert {language for language, _ in blocks(page)} == {"sh", "python"} or page == "docs/signatures.md"
