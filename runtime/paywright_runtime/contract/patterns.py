"""The patterns behind the named checks of the contract, for matching and for JSON Schema.

They hold the whole calendar, leap years included, so that a schema with the same pattern agrees in every case. They use
ASCII classes only and are meant to match the whole text. The year 0000 and second 60 are refused, because no date and
time of Python can hold them; offsets reach 18:00, as in the notation the specification uses [2].
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Final


def _calendar(dash: str) -> str:
    month_and_day = (
        f"(?:0[1-9]|1[0-2]){dash}(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2]){dash}(?:29|30)|(?:0[13578]|1[02]){dash}31"
    )
    year = "(?:[1-9][0-9]{3}|0(?:[1-9][0-9]{2}|0(?:[1-9][0-9]|0[1-9])))"  # without lookahead, for readers of schemas that have none
    four = "(?:0[48]|[2468][048]|[13579][26])"
    return f"(?:{year}{dash}(?:{month_and_day})|(?:[0-9]{{2}}{four}|{four}00){dash}02{dash}29)"


def _ip_v6(group: str, v4: str) -> str:
    # Eight groups; or `::` for one or more groups, with at most seven others around it, in every split. A dotted quad
    # at the end stands for two groups.
    def before(left: int) -> str:
        return f"{group}(?::{group}){{{left - 1}}}::" if left else "::"

    whole = [f"(?:{group}:){{7}}{group}", f"(?:{group}:){{6}}{v4}"]
    short = [f"{before(left)}(?:{group}(?::{group}){{0,{6 - left}}})?" for left in range(7)] + [before(7)]
    quads = [f"{before(left)}(?:{group}:){{0,{5 - left}}}{v4}" for left in range(6)]
    return "|".join(whole + short + quads)


_BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_V4 = rf"{_BYTE}(?:\.{_BYTE}){{3}}"
_DATE = _calendar("-")
_MINUTE = "(?:[01][0-9]|2[0-3]):[0-5][0-9]"
_CLOCK = f"{_MINUTE}:[0-5][0-9]"
_COLON = "[+-](?:(?:0[0-9]|1[0-7]):[0-5][0-9]|18:00)"
_PLAIN = "[+-](?:(?:0[0-9]|1[0-7])[0-5][0-9]|1800)"

_FRACTION = r"(?:\.[0-9]{1,9})?"
_RFC_3339 = f"{_DATE}[Tt]{_CLOCK}{_FRACTION}(?:[Zz]|{_COLON})"


def _any_case(pattern: str) -> str:
    return re.sub("[a-z]", lambda letter: f"[{letter[0].upper()}{letter[0]}]", pattern)


_VISIBLE = r"[^\x00-\x20\x7f]"
_HOST = r"[^\x00-\x20\x7f/?#\\]"  # how the host of a web address may begin

# Name of the check: pattern of the whole text.
PATTERNS: Final[dict[str, str]] = {
    # IPv4 in four decimal numbers, or IPv6 without a zone
    "ip_address": f"(?:{_V4}|{_ip_v6('[0-9A-Fa-f]{1,4}', _V4)})",
    # a day that exists: 2025-02-26
    "calendar_date": _DATE,
    # a day that exists: 20250226
    "calendar_day": _calendar(""),
    # yyyy-MM-dd'T'HH:mm:ss.SSSXXX: 2025-02-26T12:00:00.000+08:00, or Z for the offset [2]
    "request_time": rf"{_DATE}T{_CLOCK}\.[0-9]{{3}}(?:Z|{_COLON})",
    # yyyy-MM-dd'T'HH:mm:ss Z: 2025-01-13T15:59:59 +0000 [2]
    "zoned_time": f"{_DATE}T{_CLOCK} {_PLAIN}",
    # 2025-01-13T15:59:59+0000 [6.2], or any form of RFC 3339 [2]
    "period_time": f"(?:{_RFC_3339}|{_DATE}T{_CLOCK}{_PLAIN})",
    # any form of RFC 3339: a fraction of 1 to 9 digits or none; an offset with a colon, or Z
    "offset_time": _RFC_3339,
    # RFC 3339, or a day that exists [2, 2.3]
    "start_date": f"(?:{_RFC_3339}|{_DATE})",
    # any of the times above, with a fraction of 1 to 9 digits or none
    "moment": f"(?:{_RFC_3339}|{_DATE}T{_CLOCK}{_FRACTION} ?{_PLAIN})",
    # RFC 3339, or the 13 digits of milliseconds since 1970 [2.9]
    "rate_moment": f"(?:{_RFC_3339}|[0-9]{{13}})",
    # at most 13 characters of any kind, or the shape of RFC 3339 [2.9]
    "rate_time": (
        r"[^\n]{0,13}|[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}"
        "([.][0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})"
    ),
    # the 13 digits of milliseconds since 1970: 1748750400000
    "epoch_millis": "[1-9][0-9]{12}",
    # the 10 digits of seconds since 1970: 1748750400
    "epoch_seconds": "[1-9][0-9]{9}",
    # a web address or an app scheme's, such as myapp://done; no javascript:, data:, vbscript: or file: [4.1]
    "callback_url": (
        f"(?!{_any_case('(?:javascript|data|vbscript|file):')}|{_any_case('https?:')}(?!//{_HOST}))"
        rf"[A-Za-z][A-Za-z0-9+.-]*://{_VISIBLE}*"
    ),
    # https:// or http://, in any case, and a host [4.1]
    "http_url": f"{_any_case('https?')}://{_HOST}{_VISIBLE}*",
}

# The forms that are read where the contract states none: more than any check allows. Some writers leave out seconds that are 0.
ANY_TIME: Final = f"{_DATE}[Tt](?:{_CLOCK}{_FRACTION}|{_MINUTE}) ?(?:[Zz]|{_COLON}|{_PLAIN})"


@cache
def matcher(pattern: str) -> Callable[[str], re.Match[str] | None]:
    """Return the `fullmatch` of a pattern of this module, compiled at first use: few programs need them all."""
    return re.compile(pattern).fullmatch
