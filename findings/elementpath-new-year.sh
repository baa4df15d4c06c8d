#!/usr/bin/env bash
# elementpath 5.1.4, xmlschema 4.3.2 and lxml 6.1.3, seen on 2026-12-01.
# One would guess: times with offsets are compared as the instants that they are, in XPath and by a schema's minInclusive.
# What happens: if their years as written differ, those alone decide: 06:00 on 1 January at +07:00 is after 23:30 UTC on 31 December, is
# the later in `max` and `sort`, and 23:00 at -02:00 is not equal to 01:00 UTC; the difference of the two is right, -PT30M. A document
# of that night is refused by xmlschema; lxml takes it, and refuses 24:00 of 31 December instead. On other nights all is right.
# Why it matters: the last hours of a year are sorted and cut wrongly, once a year, for whoever sells in Asia and books in UTC.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet elementpath==5.1.4 xmlschema==4.3.2 lxml==6.1.3 || exit 2
venv/bin/python - <<'PY'
from xml.etree.ElementTree import XML

import xmlschema
from elementpath import select
from elementpath.xpath31 import XPath31Parser
from lxml import etree


def of(expression):
    found = select(XML("<a/>"), expression, parser=XPath31Parser)
    return found if isinstance(found, bool) else str(found)


PAIRS = {
    "new year": ("xs:dateTime('2026-01-01T06:00:00+07:00')", "xs:dateTime('2025-12-31T23:30:00Z')"),
    "june": ("xs:dateTime('2026-06-01T06:00:00+07:00')", "xs:dateTime('2026-05-31T23:30:00Z')"),
}
compared = {
    night: [of(f"{asia} lt {utc}"), of(f"max(({asia}, {utc}))"), of(f"{asia} - {utc}")] for night, (asia, utc) in PAIRS.items()
}
equal = of("xs:dateTime('2025-12-31T23:00:00-02:00') eq xs:dateTime('2026-01-01T01:00:00Z')")
SCHEMA = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="at"><xs:simpleType>
<xs:restriction base="xs:dateTime"><xs:minInclusive value="2026-01-01T00:00:00Z"/></xs:restriction></xs:simpleType></xs:element></xs:schema>"""
schemas = xmlschema.XMLSchema(SCHEMA).is_valid, lambda text: etree.XMLSchema(etree.XML(SCHEMA)).validate(etree.XML(text))
asked = ["2026-01-01T01:00:00Z", "2025-12-31T23:00:00-02:00", "2025-12-31T24:00:00Z"]
valid = {at: [schema(f"<at>{at}</at>") for schema in schemas] for at in asked}
print(compared, equal, valid)
assert compared == {
    "new year": [False, "2026-01-01T06:00:00+07:00", "-PT30M"],
    "june": [True, "2026-05-31T23:30:00Z", "-PT30M"],
}, "this has changed"
assert equal is False, "this has changed"
assert valid == {asked[0]: [True, True], asked[1]: [False, True], asked[2]: [True, False]}, "this has changed"
PY
