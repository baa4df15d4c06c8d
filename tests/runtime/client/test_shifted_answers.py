"""No answer of an earlier request is believed to be this one's, whatever was answered before and whichever of it comes again."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import anyio
import pytest

from paywright import Client, Merchant
from paywright.aio import Client as AwaitedClient
from paywright_runtime.signing.keys import KeyPair
from paywright_runtime.signing.rsa import RsaSigner
from tests.runtime.helpers.shifting_gateway import KINDS, Cell, ShiftingGateway, cells
from tests.runtime.helpers.transport_kinds import Kind
from tests.runtime.helpers.transport_servers import Server
from tests.support.pairs import Choose, by_pairs, every


def wrong_outcomes(
    kind: Kind, keys: KeyPair, merchant: Merchant, played: list[Cell]
) -> tuple[dict[str, set[str]], int]:
    """What was believed that must not be, in all of the cells; and how often an answer came once more."""
    gateway = ShiftingGateway(RsaSigner(keys.private).sign)

    async def visit(url: str) -> dict[str, set[str]]:
        wrong: dict[str, set[str]] = {}
        settings: Any = {"base_url": url, "merchant": merchant, "timeout": 600}
        for cell in played:
            if kind == "blocking":
                with Client(**settings) as client:
                    wrong |= await gateway.visit(client, cell)
            else:
                async with AwaitedClient(**settings) as awaited:
                    wrong |= await gateway.visit(awaited, cell)
        return wrong

    with Server(gateway) as server:
        wrong = anyio.run(visit, server.url, backend="asyncio" if kind == "blocking" else kind)
    return wrong, gateway.repeated


@pytest.mark.parametrize("kind", ["blocking", "asyncio"], indirect=True)
@pytest.mark.parametrize("asked", KINDS)
def test_a_repeated_answer_is_not_believed(kind: Kind, asked: str, gateway_keys: KeyPair, merchant: Merchant) -> None:
    wrong, repeated = wrong_outcomes(kind, gateway_keys, merchant, list(cells(asked, 1)))
    assert not wrong
    assert repeated


@cache
def late_ones(choose: Choose) -> list[tuple[Kind, Cell]]:
    kinds: tuple[Kind, ...] = ("blocking", "asyncio")
    before = [name for name in KINDS if "tokens" not in name]
    table = product(kinds, (cell for asked in KINDS for cell in cells(asked, 2, before)))
    return choose(table, lambda one: (one[0], *one[1].history, *one[1][1:]), share=40)


@pytest.mark.parametrize(
    "choose", [pytest.param(by_pairs, id="in part"), pytest.param(every, id="all", marks=pytest.mark.full)]
)
@pytest.mark.parametrize("kind", ["blocking", "asyncio"], indirect=True)
@pytest.mark.parametrize("asked", KINDS)
def test_nor_one_that_comes_late_after_another(
    kind: Kind, asked: str, choose: Choose, gateway_keys: KeyPair, merchant: Merchant, record_property: Any
) -> None:
    played = [cell for with_kind, cell in late_ones(choose) if (with_kind, cell.asked) == (kind, asked)]
    wrong, repeated = wrong_outcomes(kind, gateway_keys, merchant, played)
    record_property("count: cells of answers that come once more", len(played))
    assert not wrong
    assert repeated or choose is by_pairs  # the calls of few cells may all have connections of their own
