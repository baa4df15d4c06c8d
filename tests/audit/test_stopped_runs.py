"""Runs that are killed: a worker or all of it. The report is the same, or there is none, with words."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from multiprocessing import get_all_start_methods
from pathlib import Path

import pytest

from paywright_audit.running import jobs, tasks
from paywright_cli.main import main
from tests.audit.helpers import tools
from tests.audit.helpers.planted_capture import Capture, make_capture

CAPS = pytest.CaptureFixture[str]
# A command whose parts are small, so that there are many. Ctrl-C reaches it also where the tests run in the background of a shell.
PROGRAM = """\
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from paywright_audit.running import jobs, tasks
tasks.CHUNK = 30_000
jobs._start_method = lambda: sys.argv[1]
from paywright_cli.main import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.fixture(scope="module")
def capture(secrets: Path, tmp_path_factory: pytest.TempPathFactory) -> Capture:
    return make_capture(secrets, tmp_path_factory.mktemp("long"), 600, 9, 1)


@pytest.fixture
def options(capture: Capture, secrets: Path) -> list[str]:
    keys = [f"--{side}-key={secrets / side}.pub" for side in ("merchant", "gateway")]
    return ["audit", *map(str, capture.files), "--format", "json", *keys]


@pytest.fixture
def due(options: list[str], capsys: CAPS) -> str:
    """What one process prints."""
    assert main(options) == 1
    return capsys.readouterr().out


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "CHUNK", 30_000)


def begun(options: list[str], start: str, *, group: bool = False, **environment: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, start, *options, "--jobs", "2"], start_new_session=group,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
    )  # fmt: skip


def wait_for(seen: Callable[[], object], process: subprocess.Popen[bytes] | None = None) -> None:
    """Returns once something is seen, or the process has ended."""
    until = time.monotonic() + 300
    while not seen() and (process is None or process.poll() is None):
        assert time.monotonic() < until
        time.sleep(0.005)


def children(process: subprocess.Popen[bytes]) -> list[int]:
    file = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    try:
        return [int(one) for one in file.read_text().split()]
    except OSError:
        return []


@pytest.mark.slow
def test_a_part_whose_process_died_is_done_again(
    options: list[str], due: str, tmp_path: Path, capsys: CAPS, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(tools.MARKER, str(tmp_path / "died"))
    monkeypatch.setattr(jobs, "_work", tools.die_once)
    assert main([*options, "--jobs", "2"]) == 1
    assert {one.name for one in tmp_path.iterdir()} == {"died", "died-SUBJECT", "died-WHOLE"}
    assert capsys.readouterr() == (due, "")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="processes are found in /proc, which only Linux has")
@pytest.mark.parametrize("rows", [True, False])
@pytest.mark.parametrize(("start", "number"), [("fork", 2), ("spawn", 3)])
def test_a_killed_worker_costs_its_parts(
    options: list[str], due: str, tmp_path: Path, start: str, number: int, rows: bool
) -> None:
    process = begun(options, start, TMPDIR=str(tmp_path))
    wait_for(
        lambda: len(children(process)) == number and (not rows or list(tmp_path.glob("paywright-audit-*/*"))), process
    )
    for child in children(process)[-1:]:
        os.kill(child, signal.SIGKILL)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out.decode()) == (1, due), err


@pytest.mark.parametrize("start", [one for one in ("fork", "spawn") if one in get_all_start_methods()])
def test_a_killed_run_leaves_no_process_and_no_temporary_file(options: list[str], tmp_path: Path, start: str) -> None:
    process = begun(options, start, TMPDIR=str(tmp_path))
    wait_for(lambda: list(tmp_path.glob("paywright-audit-*/*")), process)
    process.kill()
    process.communicate(timeout=300)  # until the last process that may write to the pipes has ended
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="processes are found in /proc, which only Linux has")
@pytest.mark.parametrize(("start", "judging"), [("fork", True), ("spawn", False), ("spawn", True)])
def test_an_interrupted_run_ends_at_once_without_words(
    options: list[str], tmp_path: Path, start: str, judging: bool
) -> None:
    """As Ctrl-C of a terminal, which every process of the group gets, also those that still import."""

    def imports() -> bool:
        them = [Path(f"/proc/{child}") for child in children(process)]
        begun = [one for one in them if "spawn_main" in (one / "cmdline").read_text()]
        return any("cryptography" in (one / "maps").read_text() for one in begun)

    process = begun(options, start, TMPDIR=str(tmp_path), group=True)
    wait_for(lambda: list(tmp_path.glob("*/*")) if judging else imports(), process)
    os.killpg(process.pid, signal.SIGINT)
    assert (process.communicate(timeout=jobs.END_SECONDS), process.returncode) == ((b"", b""), 130)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_full_disk_ends_it_with_words(options: list[str], capsys: CAPS, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_work", tools.no_room)
    assert main([*options, "--jobs", "2"]) == 3
    out = capsys.readouterr()
    assert (out.out, "No space left on device" in out.err, "Traceback" in out.err) == ("", True, False)


@pytest.mark.parametrize("code", [errno.EAGAIN, errno.ENOMEM])
def test_where_no_process_can_be_started_fewer_jobs_are_advised(
    options: list[str], capsys: CAPS, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    monkeypatch.setattr(jobs, "_over_processes", lambda *_: tools.fails(code))
    assert main([*options, "--jobs", "2"]) == 3
    assert "Run it again with fewer --jobs" in capsys.readouterr().err
