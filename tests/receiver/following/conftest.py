from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from paywright import Ledger
from tests.receiver.helpers.shop import Shop
from tests.runtime.helpers.canned_gateway import Gateway


@pytest.fixture
def shop(new_ledger: Callable[[], Ledger], gateway: Gateway) -> Iterator[Shop]:
    """A shop with a follower over each ledger, whose gateway answers what the test says."""
    found = Shop(new_ledger(), gateway)
    yield found
    found.close()
