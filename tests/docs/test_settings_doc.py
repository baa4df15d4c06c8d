"""docs/settings.md lists every name that the environment may have, and no other."""

from __future__ import annotations

import re

from paywright import Merchant
from paywright_runtime.client.settings import COMMON
from tests.docs.pages import Page


def test_every_setting_is_on_the_page_and_no_other() -> None:
    known = {f"PAYWRIGHT_{name.upper()}" for name in (*COMMON, *Merchant.SETTINGS)}
    assert set(re.findall(r"PAYWRIGHT_[A-Z_]*[A-Z]", Page("settings").text)) == known
