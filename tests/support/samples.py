"""For every named format of the contract: texts that it takes, and texts that it refuses. Written by hand.

A format of the contract that is not here fails a test, so that whoever adds one says what it takes.
"""

from __future__ import annotations

GOOD: dict[str, tuple[str, ...]] = {
    "currency": ("USD", "EUR", "AAA"),
    "country": ("SG", "ZZ"),
    "word": ("ORD_1", "a", "_", "0"),
    "amount": ("10.50", "0", "-1", "007.10", "123456789012345"),
    "http_url": ("https://shop.example/back", "HTTP://x", "https://shop.example/a?b=c#d", "http://münchen.example/"),
    "callback_url": (
        "https://shop.example/back", "myapp://done", "a+b.c-d://x", "myapp://", "HTTPS://x", "datas://x", "httpx://",
        "filer://a",
    ),
    "json_media": ("application/json", "APPLICATION/JSON", "Application/JSON; charset=utf-8"),
    "ip_address": ("203.0.113.7", "0.0.0.0", "::", "2001:db8::1", "::ffff:203.0.113.7", "1:2:3:4:5:6:7:8"),
    "date": ("2025-02-26", "2024-02-29", "0001-01-01", "9999-12-31"),
    "day": ("20250226", "20240229", "00010101"),
    "time": ("2025-02-26T12:00:00.000+08:00", "2025-02-26T12:00:00.000Z", "2024-02-29T23:59:59.999-18:00"),
    "utctime": ("2025-01-13T15:59:59 +0000", "2025-01-13T00:00:00 -0330"),
    "offset_time": ("2025-02-26T12:00:00+00:00", "2025-02-26T12:00:00Z", "2025-02-26t12:00:00.5z"),
    "period_time": ("2025-01-13T15:59:59+0000", "2025-01-13T15:59:59-1800", "2025-01-13T15:59:59.000+00:00", "2025-01-13T15:59:59Z"),
    "start_date": ("2025-02-26", "2025-02-26T12:00:00+00:00", "2024-02-29T12:00:00.123Z"),
    "rate_moment": ("1748750400000", "2025-06-01T12:00:00.000+08:00"),
    "moment": ("2025-06-01T12:00:00.000+08:00", "2025-06-01T12:00:00Z", "2025-06-01T12:00:00 +0800"),
    "rate_time": ("", "1748750400000", "2025-06-01T12:00:00.000+08:00"),
}  # fmt: skip

BAD: dict[str, tuple[str, ...]] = {
    "currency": ("", "usd", "US", "USDX", "ＵＳＤ", "US1", " USD", "U\nD"),
    "country": ("", "sg", "S", "SGP", "S1", "ＳＧ"),
    "word": ("", "a b", "a-b", "ä", "٣", "a/b"),
    "amount": ("", "1,5", "1.", ".5", "1e3", "+1", "٣", "NaN", "1 ", "--1", "0x1"),
    "http_url": (
        "", "shop.example", "ftp://shop.example", "https://", "https://a b", "javascript:alert(1)", "http:/x",
        "https:///x", "https://?x", "https://\\x",
    ),
    "callback_url": (
        "", "://x", "1a://b", "a:", "a://b c", "a", "é://x", "http:x", "https:/x", "http://", "https:///x",
        "javascript:alert(1)", "javascript://%0aalert(1)", "JavaScript://x", "data://text/html,x", "vbscript://x",
        "File:///etc/passwd", "C:\\x", "C:/x",
    ),
    "json_media": ("", "text/json", "application/json5"),
    "ip_address": ("", "256.0.0.1", "1.2.3", "01.2.3.4", ":::", "1::2::3", "fe80::1%eth0", "1:2:3:4:5:6:7", "12345::"),
    "date": ("", "2025-02-30", "2025-2-26", "20250226", "0000-01-01", "2023-02-29", "2025-13-01", "1900-02-29", "٢025-01-01"),
    "day": ("", "20250230", "2025-02-26", "00000101", "2025022"),
    "time": (
        "", "2025-02-26T12:00:00+08:00", "2025-02-26 12:00:00.000+08:00", "2025-02-30T12:00:00.000Z",
        "2025-02-26T24:00:00.000Z", "2025-02-26T12:00:60.000Z", "2025-02-26T12:00:00.000+0800",
        "2025-02-26T12:00:00.000+18:01",
    ),
    "utctime": ("", "2025-01-13T15:59:59+0000", "2025-01-13T15:59:59 +00:00", "2025-01-13 15:59:59 +0000", "2025-01-13T15:59:59 Z"),
    "offset_time": ("", "2025-02-26", "2025-02-26T12:00:00", "2025-02-29T12:00:00Z", "2025-02-26T12:00:00+0000"),
    "period_time": ("", "2025-01-13T15:59:59 +0000", "2025-01-13T15:59:59", "2025-01-13T15:59+0000"),
    "start_date": ("", "soon", "2025-02-30", "20250226", "2025-02-26T12:00:00", "2025-02-26T12:00:00+0000"),
    "rate_moment": ("", "not-a-time", "2025-06-01", "174875040000", "17487504000000"),
    "moment": ("", " ", "soon", "2025-06-01", "2025-06-01T12:00:00", "2025-06-31T12:00:00Z", "1748750400000"),
    "rate_time": ("12345678901234", "2025-06-01 12:00:00+08:00", "yesterday at noon"),
}  # fmt: skip
