"""Recognise what a recorder or a log wrote in place of a value that it hides."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["MASKED", "is_masked"]

MASKED: Final = "masked"
"""Why a body or a signature cannot be judged that the capture hides."""
_LONGEST: Final = 64
_MASK: Final = re.compile(
    r"""\W*(?:redacted|masked|removed|hidden|filtered|secret|sanitized|scrubbed|omitted|x{3,})\W*  # [REDACTED], <masked>
    | .*(?:\*{3,}|\u2022{3,}|\u2026).*""",  # ***, card****11, abc...
    re.IGNORECASE | re.VERBOSE,
).fullmatch


def is_masked(text: object) -> bool:
    """Return whether a short text stands for a value that was hidden, all of it or its middle."""
    return type(text) is str and len(text) <= _LONGEST and _MASK(text) is not None
