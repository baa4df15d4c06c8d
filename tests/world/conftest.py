"""What tests of worlds share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def quiet(unlogged: None) -> None:
    """The product warns of what the worlds do to it."""


@pytest.fixture
def folder(made_once: Path) -> Path:
    """A sandbox's keys."""
    return made_once
