"""A gateway for the programs of a page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from paywright_sandbox.testing.served import RunningSandbox, running_sandbox


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("gateway")) as running:
        yield running
