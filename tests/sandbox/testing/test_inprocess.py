"""The sandbox without a socket: the same engine and bytes, the failures HTTP would give, and the fixtures for pytest."""

import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from paywright import ConfigurationError, OutcomeUnknown
from paywright_runtime.clock import FixedClock
from paywright_runtime.transport.api import Phase, SignedRequest, TransportFailure
from paywright_sandbox import testing
from paywright_sandbox.testing import InProcessSandbox, InProcessTransport, in_process_sandbox, running_sandbox
from tests.sandbox.helpers.place import place


def test_the_bytes_and_headers_are_those_of_http(made_once: Path, tmp_path: Path) -> None:
    import shutil

    folder = Path(shutil.copytree(made_once, tmp_path / "sandbox"))
    clock = FixedClock(datetime(2025, 6, 1, 12, tzinfo=UTC))

    def seen(sandbox: InProcessSandbox) -> list[object]:
        import json

        records = [json.loads(line) for line in b"".join(sandbox.engine.captures.lines()).splitlines()]
        for record in records:
            record["url"] = record["url"].split("/", 3)[3]
            record["request"]["headers"] = [pair for pair in record["request"]["headers"] if pair[0] != "host"]
        return records

    with running_sandbox(folder, clock=clock, wall=clock) as served, served.client(clock=clock) as client:
        served.engine.address = "http://127.0.0.1:8787"
        place(client, "ORD_1")
        over_http = seen(served)  # type: ignore[arg-type]  # it has an engine too
    with in_process_sandbox(folder, clock=clock) as inside, inside.client() as client:
        place(client, "ORD_1")
        assert seen(inside) == over_http


@pytest.mark.parametrize(
    ("kind", "rule", "phase", "reason"),
    [
        ("reset", {}, Phase.WAITING, "connection_lost"),
        ("hang", {"seconds": 600}, Phase.WAITING, "timeout"),
        ("hang", {"seconds": 0}, Phase.WAITING, "connection_lost"),
        ("cut", {}, Phase.READING, "connection_lost"),
        ("drip", {"seconds": 600}, Phase.READING, "timeout"),
    ],
)
def test_faults_of_the_connection_are_the_failures_of_a_transport(
    inside: InProcessSandbox, kind: str, rule: dict[str, int], phase: Phase, reason: str
) -> None:
    inside.fault(kind, when="after", times=1, **rule)
    with inside.client(timeout=300) as client:  # which it is not kept waiting for
        with pytest.raises(OutcomeUnknown) as unknown:
            place(client, "ORD_1")
        assert (unknown.value.attempts[-1].phase, unknown.value.reason) == (phase, reason)
        place(client, "ORD_2")


def test_a_transport_that_is_closed_or_late_sends_nothing(inside: InProcessSandbox) -> None:
    transport = InProcessTransport(inside.engine)
    request = SignedRequest("/", (), b"{}")
    with pytest.raises(TransportFailure) as late:
        transport.send(request, time.monotonic() - 1)
    assert not late.value.body_started
    transport.close()
    with pytest.raises(ConfigurationError):
        transport.send(request, time.monotonic() + 600)
    assert inside.log() == b""


def test_without_a_folder_it_makes_keys_of_its_own() -> None:
    with in_process_sandbox() as sandbox, sandbox.client() as client:
        place(client, "ORD_1")
        folder = sandbox.directory
    assert not folder.exists()


def test_the_public_module_has_what_it_lists_and_nothing_else() -> None:
    assert {name: getattr(testing, name).__name__ for name in testing.__all__} == {
        name: name for name in testing.__all__
    }
    assert set(testing.__all__) <= set(dir(testing))
    with pytest.raises(AttributeError, match="no attribute 'in_process_sandbocks'"):
        testing.in_process_sandbocks  # type: ignore[attr-defined]  # noqa: B018  # as a misspelling


def test_a_sandbox_in_the_process_loads_no_server_and_no_pytest() -> None:
    code = (
        "import sys\n"
        "from paywright_sandbox import testing\n"
        "assert not [name for name in sys.modules if name.startswith('paywright_sandbox.testing.')]\n"
        "from paywright_sandbox.testing import InProcessSandbox, InProcessTransport, SandboxHandle, in_process_sandbox\n"
        "print(*{name.split('.')[0] for name in sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=True)
    assert not set(done.stdout.split()) & {"starlette", "uvicorn", "jinja2", "segno", "asyncio", "pytest"}
