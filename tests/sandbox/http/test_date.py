"""The `Date` of answers on the wire: the sandbox's own clock, so that clocks that are apart can be tried [5.9, 2.1]."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from paywright import GatewayError
from paywright_runtime.clock import FixedClock
from paywright_sandbox.testing.served import RunningSandbox, running_sandbox
from tests.sandbox.helpers.place import place

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
PLACE = "/aggregate-pay/api/gateway/orderAndPay"


@pytest.fixture
def serve(made_once: Path, tmp_path: Path) -> Iterator[Callable[..., RunningSandbox]]:
    with ExitStack() as stack:

        def start(judge: str = "wall", **clocks: FixedClock) -> RunningSandbox:
            folder = Path(shutil.copytree(made_once, tmp_path / "sandbox"))
            settings = folder / "sandbox.toml"
            words = settings.read_text(encoding="utf-8")
            assert 'judge-request-time = "wall"' in words
            settings.write_text(words.replace('time = "wall"', f'time = "{judge}"'), encoding="utf-8")
            return stack.enter_context(running_sandbox(folder, **clocks))

        yield start


def dates(sandbox: RunningSandbox, method: str, path: str, body: bytes | None = None, **headers: str) -> list[str]:
    connection = HTTPConnection(urlsplit(sandbox.base_url).netloc, timeout=600)
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        response.read()
        return response.headers.get_all("Date") or []
    finally:
        connection.close()


ANSWERS: list[tuple[str, str, bytes | None, dict[str, str]]] = [
    ("POST", PLACE, b"{}", {}),  # answered where it was parsed
    ("POST", "/nowhere", b"{}", {}),
    ("GET", PLACE, None, {}),
    ("POST", PLACE, b"x" * 2_000_000, {}),  # 413
    ("POST", PLACE, b"{}", {"Host": "evil.example"}),  # 421
    ("GET", "/_sandbox/health", None, {}),
    ("GET", "/_sandbox/snapshot", None, {"X-Sandbox": "1"}),  # sent in parts
    ("GET", "/_sandbox/", None, {"Accept": "text/html"}),
]


def test_every_answer_has_one_date_and_it_is_that_of_the_wall_clock_given(serve: Callable[..., RunningSandbox]) -> None:
    wall = FixedClock(NOON)
    sandbox = serve(wall=wall)
    # At once, not with the next tick of the server.
    for passes, date in ((0, "12:00:00"), (61, "12:01:01"), (0.999, "12:01:01"), (0.001, "12:01:02")):
        wall.advance(passes)
        for method, path, body, headers in ANSWERS:
            assert dates(sandbox, method, path, body, **headers) == [f"Sun, 01 Jun 2025 {date} GMT"]


@pytest.mark.parametrize(("judge", "date"), [("wall", "12:00:00"), ("sandbox", "18:00:00"), ("off", "12:00:00")])
def test_the_date_is_of_the_clock_that_judges(serve: Callable[..., RunningSandbox], judge: str, date: str) -> None:
    sandbox = serve(judge, wall=FixedClock(NOON), clock=FixedClock(NOON + timedelta(hours=6)))
    assert dates(sandbox, "POST", PLACE, b"{}") == [f"Sun, 01 Jun 2025 {date} GMT"]


def test_an_answer_that_drips_has_it_too(serve: Callable[..., RunningSandbox]) -> None:
    sandbox = serve(wall=FixedClock(NOON))
    sandbox.fault("drip", seconds=1)
    assert dates(sandbox, "POST", PLACE, b"{}") == ["Sun, 01 Jun 2025 12:00:00 GMT"]


@pytest.mark.parametrize("ahead", [121, -121])
def test_a_client_whose_clock_is_off_is_told_by_how_much(serve: Callable[..., RunningSandbox], ahead: int) -> None:
    sandbox = serve(wall=FixedClock(NOON + timedelta(seconds=ahead)))
    with sandbox.client(clock=FixedClock(NOON)) as client, pytest.raises(GatewayError) as caught:
        place(client, "ORD_1")
    assert caught.value.code == "REQ_TIME_OVER_TIME"
    assert f"121 s {'ahead of' if ahead > 0 else 'behind'} this machine's" in str(caught.value)
    with sandbox.client(clock=FixedClock(NOON + timedelta(seconds=ahead))) as client:
        place(client, "ORD_1")  # nothing had been placed
