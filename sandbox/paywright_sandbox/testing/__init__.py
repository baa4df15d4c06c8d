"""The sandbox for tests of a merchant's program.

`in_process_sandbox` is a gateway in memory, without a socket; `running_sandbox` is one that is served on a free port of
this machine (needs the extra `sandbox`). Both yield a `SandboxHandle`, which makes clients, pays orders, adds faults and
moves the clock. `InProcessTransport` connects a client of your own making to an in-process sandbox.

The pytest plugin `paywright_sandbox.testing.pytest` has fixtures of the first.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paywright_sandbox.testing.handle import SandboxHandle as SandboxHandle
    from paywright_sandbox.testing.inprocess import InProcessSandbox as InProcessSandbox
    from paywright_sandbox.testing.inprocess import InProcessTransport as InProcessTransport
    from paywright_sandbox.testing.inprocess import in_process_sandbox as in_process_sandbox
    from paywright_sandbox.testing.served import RunningSandbox as RunningSandbox
    from paywright_sandbox.testing.served import running_sandbox as running_sandbox

__all__ = [
    "InProcessSandbox",
    "InProcessTransport",
    "RunningSandbox",
    "SandboxHandle",
    "in_process_sandbox",
    "running_sandbox",
]

_HOMES = {
    "InProcessSandbox": "paywright_sandbox.testing.inprocess",
    "InProcessTransport": "paywright_sandbox.testing.inprocess",
    "RunningSandbox": "paywright_sandbox.testing.served",
    "SandboxHandle": "paywright_sandbox.testing.handle",
    "in_process_sandbox": "paywright_sandbox.testing.inprocess",
    "running_sandbox": "paywright_sandbox.testing.served",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
