"""A real sandbox for tests: a server on a free port of this machine, its keys, and clients of it.

with running_sandbox() as sandbox, sandbox.client() as client:
    client.orders.checkout(...)
    sandbox.pay("ORD_1")
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from paywright_runtime.clock import Clock
from paywright_runtime.errors import ConfigurationError
from paywright_sandbox.gateway import make_engine, open_store
from paywright_sandbox.testing.handle import SandboxHandle, sandbox_folder


class RunningSandbox(SandboxHandle):
    """A sandbox that is served at `base_url` from `directory`."""


@contextmanager
def running_sandbox(
    directory: Path | None = None,
    *,
    policies: Mapping[str, object] | None = None,
    clock: Clock | None = None,
    wall: Clock | None = None,
    seed: str | None = None,
) -> Iterator[RunningSandbox]:
    """Serve a sandbox in a thread while the block runs.

    `directory` holds its keys, settings and state, which are made if they do not exist; None makes a temporary one.
    `policies` and `seed` replace those of sandbox.toml. `clock` is business time, `wall` the time of requestTime.
    """
    try:
        from paywright_sandbox.http.server import Server, address_of, listen
    except ModuleNotFoundError:
        raise ConfigurationError("A served sandbox needs an extra: pip install 'paywright[sandbox]'.") from None

    with sandbox_folder(directory, policies, seed) as (folder, settings):
        store = open_store(settings.state)
        try:
            with listen("127.0.0.1", 0) as listening:
                engine = make_engine(settings, store, address=address_of(listening), clock=clock, wall=wall)
                server = Server(engine, listening)
                server.start()
                try:
                    yield RunningSandbox(engine, folder)
                finally:
                    server.stop()
        finally:
            store.close()
