"""The formats of text, as tests."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

import re
from collections.abc import Callable

from paywright_runtime.contract.formats import FORMS, matcher

CURRENCY = re.compile("[A-Z]{3}").fullmatch  # Currency code, 3 uppercase letters.
COUNTRY = re.compile("[A-Z]{2}").fullmatch  # Country code, 2 uppercase letters.
WORD = re.compile("[A-Za-z0-9_]+").fullmatch  # Letters, digits, underscores.
AMOUNT = re.compile("-?[0-9]+([.][0-9]+)?").fullmatch  # Decimal text of an amount, a fee or a rate.
JSON_MEDIA = re.compile(
    "[Aa][Pp][Pp][Ll][Ii][Cc][Aa][Tt][Ii][Oo][Nn]/[Jj][Ss][Oo][Nn]([ \\t]*;.*)?"
).fullmatch  # The media type application/json, parameters allowed.

_CHECKS = {
    "HTTP_URL": "http_url",  # An http or https address.
    "CALLBACK_URL": "callback_url",  # An http or https address, or an app scheme's. Schemes that run or open what stands behind them (javascript, data, vbscript, file) are none of an app.
    "IP_ADDRESS": "ip_address",  # IPv4 or IPv6.
    "DATE": "calendar_date",  # A calendar date.
    "DAY": "calendar_day",  # A calendar date without dashes.
    "TIME": "request_time",  # A time with milliseconds and offset.
    "UTCTIME": "zoned_time",  # A time with a space before its offset.
    "OFFSET_TIME": "offset_time",  # RFC 3339; written without milliseconds.
    "PERIOD_TIME": "period_time",  # The form that 6.2 shows, or RFC 3339.
    "START_DATE": "start_date",  # RFC 3339, or a calendar date; written as what is given.
    "MOMENT": "moment",  # RFC 3339 or one of the shapes of section 2; written as RFC 3339 without milliseconds.
    "RATE_TIME": "rate_time",  # At most 13 characters as stated, or RFC 3339.
    "RATE_MOMENT": "rate_moment",  # RFC 3339, or milliseconds since 1970.
}


def __getattr__(name: str) -> Callable[[str], re.Match[str] | None]:
    """Compile a named check when a validator imports it: their patterns are large, and no program needs them all."""
    if name not in _CHECKS:
        raise AttributeError(name)
    return matcher(FORMS[_CHECKS[name]].pattern)
