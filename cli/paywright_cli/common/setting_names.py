"""Name settings as a user of a command does: by environment variables."""

from __future__ import annotations

import re
from typing import Final

from paywright_runtime.environment import COMMON

_PLACE: Final = re.compile(r"^(  [^:]+: )(?:Client|Merchant)\(.*?(?=PAYWRIGHT_)", re.MULTILINE)
_SETTING: Final = re.compile(rf"^((?:Nothing was sent: )?)({'|'.join(COMMON)})(?= )")


def in_setting_names(message: str) -> str:
    """Return the message of an error about settings, with environment variables in place of Python arguments."""
    message = _SETTING.sub(lambda found: f"{found[1]}PAYWRIGHT_{found[2].upper()}", message)
    return _PLACE.sub(r"\1", message)
