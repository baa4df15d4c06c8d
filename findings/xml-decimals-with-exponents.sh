#!/usr/bin/env bash
# xmlschema 4.3.2, spyne 2.14.0, zeep 4.3.3 and xsdata 26.10, seen on 2026-12-01.
# One would guess: who writes an xs:decimal knows that it has no exponent: Decimal('1E+2') is 100.
# What happens: zeep and xsdata write 100. spyne and xmlschema write 1E+2, and xmlschema then finds its own document invalid. Its
# `to_json` writes 12345678901234567.89 as 1.2345678901234568e+16 and 10.10 as 10.1. xsdata reads 1E2, which is no xs:decimal, as 100.
# Why it matters: 100 is 1E+2 after `normalize`, a sum or a product: a bank refuses the file, or a client the answer, for round amounts alone.
# Known to: the SDK writes no exponent.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet xmlschema==4.3.2 spyne==2.14.0 zeep==4.3.3 xsdata==26.10 setuptools==80.9.0 || exit 2
venv/bin/python -W ignore - <<'PY'
from dataclasses import dataclass, field
from decimal import Decimal
from xml.etree import ElementTree

import xmlschema
from spyne.model.primitive import Decimal as SpyneDecimal
from spyne.protocol.xml import XmlDocument
from xsdata.formats.dataclass.parsers import XmlParser
from xsdata.formats.dataclass.serializers import XmlSerializer
from zeep import xsd


@dataclass
class Payment:
    amount: Decimal = field(metadata={"type": "Element"})


schema = xmlschema.XMLSchema(
    '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="payment"><xs:complexType><xs:sequence>'
    '<xs:element name="amount" type="xs:decimal" maxOccurs="2"/></xs:sequence></xs:complexType></xs:element></xs:schema>'
)
round_ = Decimal("100.00").normalize()
element = schema.encode({"amount": [round_]}, "payment")
two = "<payment><amount>12345678901234567.89</amount><amount>10.10</amount></payment>"
seen = {
    "zeep": xsd.Decimal().xmlvalue(round_),
    "xsdata": ElementTree.fromstring(XmlSerializer().render(Payment(round_)))[0].text,
    "spyne": XmlDocument().to_unicode(SpyneDecimal, round_),
    "xmlschema": (element[0].text, schema.is_valid(ElementTree.fromstring(ElementTree.tostring(element)))),
    "json": xmlschema.to_json(ElementTree.fromstring(two), schema=schema),
    "read": str(XmlParser().from_string("<Payment><amount>1E2</amount></Payment>", Payment).amount),
}
print(seen)
assert seen == {
    "zeep": "100",
    "xsdata": "100",
    "spyne": "1E+2",
    "xmlschema": ("1E+2", False),
    "json": '{"amount": [1.2345678901234568e+16, 10.1]}',
    "read": "1E+2",
}, "this has changed"
PY
