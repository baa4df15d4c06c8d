#!/usr/bin/env bash
# bankstatementparser 0.0.29 and camt053 0.0.23, seen on 2026-12-01.
# One would guess: readers of a bank's camt.053 say what is booked and what is only announced, and give each of a batch's payments its amount.
# What happens: bankstatementparser has no column for the status: an entry that is pending stands among the others and is in its totals, which
# are no longer the difference of the balances; the bank's own reference is gone. camt053 knows the status, but of a batch it gives the whole
# amount and two orders without theirs, and without the payers' words. Each has what the other lacks.
# Why it matters: an order is taken as paid that the bank may never book, or two of a batch cannot be matched by their amounts.
# Known to: docs/follow.md, of reconciling with a bank.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet bankstatementparser==0.0.29 camt053==0.0.23 || exit 2
cat >camt.xml <<'XML'
<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt>
<GrpHdr><MsgId>M1</MsgId><CreDtTm>2026-12-01T06:00:00</CreDtTm></GrpHdr><Stmt><Id>S1</Id><CreDtTm>2026-12-01T06:00:00</CreDtTm>
<Acct><Id><IBAN>DE89370400440532013000</IBAN></Id><Ccy>EUR</Ccy></Acct>
<Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">100.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-11-30</Dt></Dt></Bal>
<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">160.50</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-11-30</Dt></Dt></Bal>
<Ntry><Amt Ccy="EUR">60.50</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-11-30</Dt></BookgDt>
<ValDt><Dt>2026-11-30</Dt></ValDt><AcctSvcrRef>BANK-1</AcctSvcrRef><BkTxCd/><NtryDtls><Btch><NbOfTxs>2</NbOfTxs></Btch>
<TxDtls><Refs><EndToEndId>A-1</EndToEndId></Refs><AmtDtls><TxAmt><Amt Ccy="EUR">50.00</Amt></TxAmt></AmtDtls>
<RmtInf><Ustrd>order one</Ustrd></RmtInf></TxDtls>
<TxDtls><Refs><EndToEndId>A-2</EndToEndId></Refs><AmtDtls><TxAmt><Amt Ccy="EUR">10.50</Amt></TxAmt></AmtDtls>
<RmtInf><Ustrd>order two</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>
<Ntry><Amt Ccy="EUR">7.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>PDNG</Sts><BookgDt><Dt>2026-12-02</Dt></BookgDt>
<ValDt><Dt>2026-12-02</Dt></ValDt><BkTxCd/></Ntry>
</Stmt></BkToCstmrStmt></Document>
XML
venv/bin/python -W ignore - <<'PY'
from dataclasses import asdict
from pathlib import Path

import camt053
from bankstatementparser import CamtParser

parser = CamtParser("camt.xml")
table, summary = parser.parse(), parser.get_summary()
entries = [asdict(entry) for entry in camt053.parse_statement(Path("camt.xml").read_text(encoding="utf-8")).entries]
seen = {
    "amounts": [str(amount) for amount in table["Amount"]],
    "pending is told": "PDNG" in table.to_csv(),
    "total": str(summary["total_amount"]),
    "balances": str(summary["closing_balance"] - summary["opening_balance"]),
    "reference of the bank": "BANK-1" in table.to_csv(),
    "camt053": [(entry["status"], entry["amount"], [detail["end_to_end_id"] for detail in entry["details"]]) for entry in entries],
    "amounts of a batch": any(text in str(entries) for text in ("50.00", "10.50", "order one")),
}
print(seen)
assert seen == {
    "amounts": ["50.00", "10.50", "7.00"],
    "pending is told": False,
    "total": "67.50",
    "balances": "60.50",
    "reference of the bank": False,
    "camt053": [("BOOK", "60.50", ["A-1", "A-2"]), ("PDNG", "7.00", [])],
    "amounts of a batch": False,
}, "this has changed"
PY
