"""Name the formats of captures that are not read, and how to convert them: one line in place of one for each of theirs."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["foreign_format"]

_RECORDS: Final = "write capture records of it (docs/audit.md, Capture your traffic)"
_UNPACK: Final = "unpack it first"

_FORMATS: Final = (
    (rb"PK\x03\x04", "a zip archive: unzip it, and give the .har that is inside, with its other files beside it"),
    (rb"\xfd7zXZ\x00", f"xz: {_UNPACK} (xz -dc FILE | paywright audit -)"),
    (rb"BZh[1-9]", f"bzip2: {_UNPACK} (bzip2 -dc FILE | paywright audit -)"),
    (rb"\x04\x22\x4d\x18", f"lz4: {_UNPACK} (lz4 -dc FILE | paywright audit -)"),
    (rb"\xff\xfe|\xfe\xff|.\x00.\x00", "UTF-16: convert it (iconv -f UTF-16 -t UTF-8 FILE | paywright audit -)"),
    (
        rb"\xd4\xc3\xb2\xa1|\xa1\xb2[\xc3\x3c][\xd4\x4d]|\x4d\x3c\xb2\xa1|\x0a\x0d\x0d\x0a",
        "a pcap: read it with mitmproxy or tshark -x, and write capture records of it",
    ),
    (rb"SQLite format 3", f"an SQLite database: {_RECORDS}"),
    (rb"WARC/", f"a WARC: {_RECORDS}"),
    (rb"<\?xml|<!DOCTYPE|<items\b", f"XML, as Burp exports it: {_RECORDS}"),
    (rb"(?:---\s+)?(?:http_)?interactions:", f"a cassette of vcrpy or VCR: {_RECORDS}"),
    (rb'\{\s*"version"\s*:\s*\d+,\s*"interactions"', f"a cassette of vcrpy: {_RECORDS}"),
    (rb"responses:", "a file of responses, which has no requests: record with another tool"),
    (rb"[123] [0-9a-f]{24,} \d+", f"a file of GoReplay: {_RECORDS}"),
    (rb'\{\s*"(?:http_interactions|recorded_with)"', f"a cassette of betamax or VCR: {_RECORDS}"),
    (rb'\{\s*"collection"\s*:', f"a report of newman: {_RECORDS}"),
    (rb'\{\s*"requests"\s*:', f"a journal of WireMock: {_RECORDS}"),
    (rb'\{\s*"(?:protocol|imposters)"\s*:', f"an imposter of mountebank, whose answers were written anew: {_RECORDS}"),
    (rb"\{\s*meta:", f"a tape of talkback, whose bodies were written anew: {_RECORDS}"),
    (rb'\[\s*\{\s*"scope"\s*:', f"a recording of nock, which has parsed bodies: {_RECORDS}"),
    (rb'\[\s*\{\s*"hash"\s*:', f"a snapshot of undici: {_RECORDS}"),
    (
        rb'\{\s*"info"\s*:\s*\{[^}]*"(?:_postman_id|schema)"',
        "a collection of Postman, which has no answers: run it with newman",
    ),
    (rb'\{\s*"constants"\s*:', "a net-log of Chromium: export a HAR file instead"),
    (
        rb'\{\s*"mappings"\s*:',
        f"mappings of WireMock, which have no requests as they were sent: take its journal, and {_RECORDS}",
    ),
    (rb"\[", "a JSON array: write one record a line (jq -c '.[]' FILE | paywright audit -)"),
)
_FOREIGN: Final = [
    (re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:" + form + rb")", re.DOTALL).match, words) for form, words in _FORMATS
]


def foreign_format(head: bytes) -> str:
    """Return what a file is by its beginning, and what to do with it, in words; "" for what may be a capture."""
    words = next((words for begins, words in _FOREIGN if begins(head)), "")
    return words and f"it is {words}"
