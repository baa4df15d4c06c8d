#!/usr/bin/env bash
# node-ofx-parser 0.5.1, ofx-data-extractor 1.5.0, ofx-js 1.1.1 and ofxparse 0.21, seen on 2026-11-30.
# One would guess: `Cup &amp; Co` in a bank's OFX file, where & and < are written so, is Cup & Co to whoever reads it.
# What happens: Cup &amp;amp;amp; Co in node-ofx-parser, which writes each & anew, twice; Cup &amp; Co in ofx-data-extractor; Cup & Co in the other
# two. What stands for < fares likewise.
# Why it matters: payments are booked by payer and reference, and a rule that finds one with such a sign finds it in one program only.
# Known to: docs/follow.md, "Reconcile with your bank", says which of our fields to compare.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save node-ofx-parser@0.5.1 ofx-data-extractor@1.5.0 ofx-js@1.1.1 || exit 2
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet ofxparse==0.21 || exit 2
cat >paid.ofx <<'OFX'
OFXHEADER:100
DATA:OFXSGML
VERSION:102
SECURITY:NONE
ENCODING:USASCII
CHARSET:1252
COMPRESSION:NONE
OLDFILEUID:NONE
NEWFILEUID:NONE

<OFX>
<SIGNONMSGSRSV1>
<SONRS>
<STATUS>
<CODE>0
<SEVERITY>INFO
</STATUS>
<DTSERVER>20261130120000
<LANGUAGE>ENG
</SONRS>
</SIGNONMSGSRSV1>
<BANKMSGSRSV1>
<STMTTRNRS>
<TRNUID>1
<STATUS>
<CODE>0
<SEVERITY>INFO
</STATUS>
<STMTRS>
<CURDEF>USD
<BANKACCTFROM>
<BANKID>1
<ACCTID>1
<ACCTTYPE>CHECKING
</BANKACCTFROM>
<BANKTRANLIST>
<DTSTART>20261101
<DTEND>20261130
<STMTTRN>
<TRNTYPE>CREDIT
<DTPOSTED>20261130
<TRNAMT>10.50
<FITID>1
<NAME>Cup &amp; Co
<MEMO>A &lt; B
</STMTTRN>
<STMTTRN>
<TRNTYPE>CREDIT
<DTPOSTED>20261130
<TRNAMT>0.29
<FITID>2
<NAME>Shop
<MEMO>ORD-2
</STMTTRN>
</BANKTRANLIST>
<LEDGERBAL>
<BALAMT>10.79
<DTASOF>20261130
</LEDGERBAL>
</STMTRS>
</STMTTRNRS>
</BANKMSGSRSV1>
</OFX>
OFX
cat >run.cjs <<'JS'
const text = require('fs').readFileSync('paid.ofx', 'utf8')
const { Ofx } = require('ofx-data-extractor')
const list = (parsed) => parsed.OFX.BANKMSGSRSV1.STMTTRNRS.STMTRS.BANKTRANLIST.STMTTRN
const say = (name, { NAME, MEMO }) => console.log(`${name}: ${NAME}, ${MEMO}`)
say('node-ofx-parser', list(require('node-ofx-parser').parse(text))[0])
say('ofx-data-extractor', new Ofx(text).getBankTransferList()[0])
require('ofx-js').parse(text).then((parsed) => say('ofx-js', list(parsed)[0]))
JS
cat >run.py <<'PY'
from ofxparse import OfxParser

with open("paid.ofx", "rb") as file:
    paid = OfxParser.parse(file).account.statement.transactions[0]
print(f"ofxparse: {paid.payee}, {paid.memo}")
PY
{ node run.cjs; venv/bin/python -W ignore run.py; } | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
node-ofx-parser: Cup &amp;amp;amp; Co, A &amp;amp;lt; B
ofx-data-extractor: Cup &amp; Co, A &lt; B
ofx-js: Cup & Co, A < B
ofxparse: Cup & Co, A < B
SEEN
