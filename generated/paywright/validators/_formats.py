"""The formats of text, as tests."""

# Generated from the contract by `make generate`; never edited by hand.

from __future__ import annotations

import re

from paywright_runtime import formats

CURRENCY = re.compile("[A-Z]{3}").fullmatch  # Currency code, 3 uppercase letters.
COUNTRY = re.compile("[A-Z]{2}").fullmatch  # Country code, 2 uppercase letters.
WORD = re.compile("[A-Za-z0-9_]+").fullmatch  # Letters, digits, underscores.
AMOUNT = re.compile("-?[0-9]+([.][0-9]+)?").fullmatch  # Decimal text of an amount, a fee or a rate.
HTTP_URL = re.compile("[Hh][Tt][Tt][Pp][Ss]?://[^\\x00-\\x20\\x7f]+").fullmatch  # An http or https address.
CALLBACK_URL = re.compile(
    "[A-Za-z][A-Za-z0-9+.-]*:[^\\x00-\\x20\\x7f]+"
).fullmatch  # An http or https address, or an app scheme's.
JSON_MEDIA = re.compile(
    "[Aa]pplication/[Jj][Ss][Oo][Nn]([ \\t]*;.*)?"
).fullmatch  # The media type application/json, parameters allowed.
RATE_TIME = re.compile(
    "[^\\n]{0,13}|[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})"
).fullmatch  # At most 13 characters as stated, or RFC 3339.
IP_ADDRESS = formats.ip_address  # IPv4 or IPv6.
DATE = formats.calendar_date  # A calendar date.
DAY = formats.calendar_day  # A calendar date without dashes.
TIME = formats.request_time  # A time with milliseconds and offset.
UTCTIME = formats.zoned_time  # A time with a space before its offset.
OFFSET_TIME = formats.offset_time  # A time with offset, without milliseconds.
PERIOD_TIME = formats.period_time  # A time with an offset of four digits.
MOMENT = formats.moment  # RFC 3339 or one of the shapes of section 2; may be empty while nothing has happened yet.
