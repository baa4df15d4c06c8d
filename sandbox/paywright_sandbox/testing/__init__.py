"""The sandbox for tests of a merchant's program.

`in_process_sandbox` is a gateway in memory, without a socket; `running_sandbox` serves one on a free port of this machine
(needs the extra `sandbox`). Both yield a `SandboxHandle`, which makes clients, pays orders, adds faults and moves the
clock. `InProcessTransport` connects your own client to an in-process sandbox.

`requests`, `answers`, `notifications` and `broken` are strategies for Hypothesis (extra `testing`). pytest finds the fixtures of
`paywright_sandbox.testing.pytest` by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright_runtime.lazy import lazily

if TYPE_CHECKING:
    from paywright_sandbox.testing.handle import SandboxHandle
    from paywright_sandbox.testing.inprocess import (
        AsyncInProcessTransport,
        InProcessSandbox,
        InProcessTransport,
        in_process_sandbox,
    )
    from paywright_sandbox.testing.notification import SignedNotification
    from paywright_sandbox.testing.served import RunningSandbox, running_sandbox
    from paywright_sandbox.testing.strategies import Broken, answers, broken, notifications, requests

__all__ = [
    "AsyncInProcessTransport",
    "Broken",
    "InProcessSandbox",
    "InProcessTransport",
    "RunningSandbox",
    "SandboxHandle",
    "SignedNotification",
    "answers",
    "broken",
    "in_process_sandbox",
    "notifications",
    "requests",
    "running_sandbox",
]

_HOMES = {
    "paywright_sandbox.testing.handle": "SandboxHandle",
    "paywright_sandbox.testing.inprocess": "AsyncInProcessTransport InProcessSandbox InProcessTransport in_process_sandbox",
    "paywright_sandbox.testing.notification": "SignedNotification",
    "paywright_sandbox.testing.served": "RunningSandbox running_sandbox",
    "paywright_sandbox.testing.strategies": "Broken answers broken notifications requests",
}


if not TYPE_CHECKING:  # type checkers would accept every name
    __getattr__ = lazily(globals(), _HOMES)
