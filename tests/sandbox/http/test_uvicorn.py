"""The members of uvicorn's protocol classes that HttpProtocol relies on, although uvicorn does not document them."""

from __future__ import annotations

import ast
import asyncio
import inspect
from operator import attrgetter
from textwrap import dedent
from typing import Any

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from paywright_sandbox.http.protocol import HttpProtocol

OF_BOTH = {"app_state", "connection_lost", "connection_made", "cycle", "cycle.more_body", "cycle.response_complete", "loop"}  # fmt: skip
OF_BOTH |= {"data_received", "transport", "transport.close", "transport.is_closing", "transport.write"}
"""What HttpProtocol uses on top of h11, which calls none of its methods that begin with `on_`."""


def used() -> set[str]:
    """Each `self.x` and `self.x.y`, and each `super().x()`, of HttpProtocol that is not its own."""
    (tree,) = ast.parse(dedent(inspect.getsource(HttpProtocol))).body
    assert isinstance(tree, ast.ClassDef)
    own, found = set(vars(HttpProtocol)), set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            text = ast.unparse(node)
            if text.startswith("super()."):
                found.add(text.removeprefix("super()."))
            elif text.startswith("self.") and text.split(".")[1] not in own:
                found.add(text.removeprefix("self."))
    return {name for name in found if name.count(".") < 2}


async def absent(implementation: type[asyncio.Protocol], names: set[str]) -> set[str]:
    """Those of the names that an instance does not have while it serves a request."""
    missing: set[str] = set()
    served = asyncio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        for name in names:
            try:
                attrgetter(name)(protocol)
            except AttributeError:
                missing.add(name)
        served.set()

    make: Any = implementation
    config = uvicorn.Config(app, log_config=None, lifespan="off", ws="none")
    protocol = make(config=config, server_state=ServerState(), app_state={})
    async with await asyncio.get_running_loop().create_server(lambda: protocol, "127.0.0.1", 0) as server:
        _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await asyncio.wait_for(served.wait(), 30)
        writer.transport.abort()
        protocol.transport.abort()
    return missing


def test_what_is_used_of_uvicorn_is_read_from_the_source() -> None:
    assert used() >= OF_BOTH | {"on_message_begin", "on_headers_complete"}


@pytest.mark.parametrize(
    ("implementation", "names"), [(HttpToolsProtocol, used()), (H11Protocol, OF_BOTH)], ids=["httptools", "h11"]
)
def test_uvicorn_has_what_the_sandbox_uses_of_it(implementation: type[asyncio.Protocol], names: set[str]) -> None:
    missing = asyncio.run(absent(implementation, names))
    assert not missing, (
        f"uvicorn {uvicorn.__version__}: {implementation.__name__} has no {', '.join(sorted(missing))}, which "
        "paywright_sandbox.http.protocol uses; see docs/decisions/0012-sandbox.md"
    )
