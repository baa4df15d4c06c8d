#!/usr/bin/env bash
# ofx-data-extractor 1.5.0 and ofxparse 0.21, seen on 2026-12-01.
# One would guess: the summary of a statement adds up what came in and what went out by the signs, and fails for what it cannot read.
# What happens: a debit that was returned, of type DEBIT with +4.00, counts as gone: the statement of 65.65 is 57.65. The same file without
# ends of lines, which OFX 1 does not ask for, sums to 0 without an error; with those of Windows the dates keep their carriage return.
# ofxparse reads all three alike.
# Why it matters: who reconciles with the summary misses twice each returned debit, or all payments of a bank that writes one line.
# Known to: [Reconcile with your bank](../docs/follow.md#reconcile-with-your-bank).
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet ofxparse==0.21 || exit 2
npm install --silent --no-fund --no-audit --no-save ofx-data-extractor@1.5.0 || exit 2
cat >write.py <<'PY'
from pathlib import Path

HEAD = ["OFXHEADER:100", "DATA:OFXSGML", "VERSION:102", "SECURITY:NONE", "ENCODING:USASCII", "CHARSET:1252", "COMPRESSION:NONE"]
HEAD += ["OLDFILEUID:NONE", "NEWFILEUID:NONE", "", ""]
BODY = ["<OFX>", "<SIGNONMSGSRSV1>", "<SONRS>", "<STATUS>", "<CODE>0", "<SEVERITY>INFO", "</STATUS>", "<DTSERVER>20261201"]
BODY += ["<LANGUAGE>ENG", "</SONRS>", "</SIGNONMSGSRSV1>", "<BANKMSGSRSV1>", "<STMTTRNRS>", "<TRNUID>1", "<STATUS>", "<CODE>0"]
BODY += ["<SEVERITY>INFO", "</STATUS>", "<STMTRS>", "<CURDEF>USD", "<BANKACCTFROM>", "<BANKID>1", "<ACCTID>12", "<ACCTTYPE>CHECKING"]
BODY += ["</BANKACCTFROM>", "<BANKTRANLIST>", "<DTSTART>20261101", "<DTEND>20261130"]
AMOUNTS = [("CREDIT", "100.10"), ("DEBIT", "-10.50"), ("XFER", "-20.00"), ("FEE", "-1.25"), ("INT", "0.30"), ("PAYMENT", "-5.00")]
AMOUNTS += [("CHECK", "-7.00"), ("CREDIT", "-3.00"), ("DEBIT", "4.00"), ("DEP", "8.00")]
for number, (kind, amount) in enumerate(AMOUNTS):
    BODY += ["<STMTTRN>", f"<TRNTYPE>{kind}", "<DTPOSTED>20261115", f"<TRNAMT>{amount}", f"<FITID>F{number}", "<NAME>shop", "</STMTTRN>"]
BODY += ["</BANKTRANLIST>", "<LEDGERBAL>", "<BALAMT>65.65", "<DTASOF>20261130", "</LEDGERBAL>", "</STMTRS>", "</STMTTRNRS>"]
BODY += ["</BANKMSGSRSV1>", "</OFX>"]
for name, head_end, end in (("lines", "\n", "\n"), ("one line", "\n", ""), ("Windows", "\r\n", "\r\n")):
    Path(f"{name}.ofx").write_bytes((head_end.join(HEAD) + end.join(BODY) + end).encode())
PY
cat >run.mjs <<'JS'
import { readFileSync } from 'node:fs'
import { Ofx } from 'ofx-data-extractor'

for (const name of ['lines', 'one line', 'Windows']) {
  const { credit, debit, dateStart } = new Ofx(readFileSync(`${name}.ofx`, 'utf8')).getTransactionsSummary()
  console.log(`ofx-data-extractor, ${name}: ${(credit - debit).toFixed(2)} from ${JSON.stringify(dateStart)}`)
}
JS
cat >run.py <<'PY'
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
from ofxparse import OfxParser

for name in ("lines", "one line", "Windows"):
    with Path(f"{name}.ofx").open("rb") as file:
        statement = OfxParser.parse(file).account.statement
    print(f"ofxparse, {name}: {sum(row.amount for row in statement.transactions)} from {statement.start_date:%Y-%m-%d}")
PY
venv/bin/python write.py
{
  node run.mjs
  venv/bin/python run.py
} | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
ofx-data-extractor, lines: 57.65 from "2026-11-01"
ofx-data-extractor, one line: 0.00 from ""
ofx-data-extractor, Windows: 57.65 from "20261101\r"
ofxparse, lines: 65.65 from 2026-11-01
ofxparse, one line: 65.65 from 2026-11-01
ofxparse, Windows: 65.65 from 2026-11-01
SEEN
