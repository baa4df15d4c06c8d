"""The folder of a sandbox that these tests share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def folder(made_once: Path) -> Path:
    """A folder of a sandbox. Not to be changed."""
    return made_once
