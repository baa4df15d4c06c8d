"""What tests of worlds share."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from paywright_sandbox.init import make_folder


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sandbox's keys."""
    made = tmp_path_factory.mktemp("world")
    make_folder(made)
    return made


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """The product warns of what the worlds do to it."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(before)
