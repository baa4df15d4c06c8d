"""The sandbox for tests of a merchant's program.

`in_process_sandbox` is a gateway in memory, without a socket; `running_sandbox` serves one on a free port of this machine
(needs the extra `sandbox`). Both yield a `SandboxHandle`, which makes clients, pays orders, adds faults and moves the
clock. `InProcessTransport` connects your own client to an in-process sandbox.

The pytest plugin `paywright_sandbox.testing.pytest` has fixtures for the first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright_runtime.lazy import lazily

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
    "paywright_sandbox.testing.handle": "SandboxHandle",
    "paywright_sandbox.testing.inprocess": "InProcessSandbox InProcessTransport in_process_sandbox",
    "paywright_sandbox.testing.served": "RunningSandbox running_sandbox",
}


if not TYPE_CHECKING:  # type checkers would accept every name
    __getattr__ = lazily(globals(), _HOMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
