"""Programs with many processes that record exchanges, are killed, and are started again: children, pools, Celery, gunicorn.

A program tells each exchange, by a line in a file, once it was recorded.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import cache
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from paywright_audit import Recorder, recorded_wsgi
from paywright_audit.recording.captured import Captured
from tests.support.ports import lasting_port

__all__ = ["KINDS", "all_of", "tell"]

_TOP = Path(__file__).parents[3]
_SECONDS = 300


@cache
def _recorder(folder: str) -> Recorder:
    return Recorder(Path(folder) / "captures", file_bytes=200_000)


def tell(folder: str, number: int) -> None:
    """Record an exchange, and tell it."""
    body = b'{"data":{"outTradeNo":"ORD_%d"}}' % number
    url = "https://gateway.example/aggregate-pay/api/gateway/orderAndPay"
    Captured(_recorder(folder), "call", lambda: ("POST", url, [], body)).answered(200, [], b"{}")
    with open(Path(folder) / "told", "ab", buffering=0) as told:
        told.write(b"%d\n" % number)


def _tell_all(folder: str, left: list[int]) -> None:
    for number in left:
        tell(folder, number)


def _told(folder: Path) -> set[int]:
    file = folder / "told"
    return set(map(int, file.read_bytes().split())) if file.exists() else set()


def _children(method: str) -> Callable[[Path, int, list[int]], None]:
    def run(folder: Path, processes: int, left: list[int]) -> None:
        context: Any = multiprocessing.get_context(method)
        parts = [left[at::processes] for at in range(processes)]
        children = [context.Process(target=_tell_all, args=(str(folder), part)) for part in parts]
        for child in children:
            child.start()
        if len(_told(folder)) + len(left) > len(left):  # started again: let these end by themselves
            kill: list[Any] = []
        else:
            _wait(lambda: len(_told(folder)) > len(left) // 4)
            kill = children[::2]
        for child in kill:
            os.kill(child.pid, signal.SIGKILL)
        for child in children:
            child.join(_SECONDS)

    return run


def _pool(folder: Path, processes: int, left: list[int]) -> None:
    """A pool of which a process is killed in its work: one that waits for work would take the lock of the queue with it."""
    dies = None if _told(folder) else left[len(left) // 4]
    with ProcessPoolExecutor(processes) as pool, suppress(BrokenProcessPool):
        list(pool.map(_tell_one, ((str(folder), one, one == dies) for one in left), chunksize=5))


def _tell_one(given: tuple[str, int, bool]) -> None:
    folder, number, dies = given
    tell(folder, number)
    if dies:
        os.kill(os.getpid(), signal.SIGKILL)


def _recycled(folder: Path, processes: int, left: list[int]) -> None:
    """A pool of which each process ends after a few tasks."""
    with multiprocessing.get_context("fork").Pool(processes, maxtasksperchild=3) as pool:
        pool.map(_tell_one, [(str(folder), one, False) for one in left], chunksize=5)


_TASKS = """
import os
from celery import Celery
from tests.audit.helpers.record_many import tell

folder = os.environ["FOLDER"]
app = Celery("tasks", broker="filesystem://", broker_transport_options={
    "data_folder_in": folder + "/queue", "data_folder_out": folder + "/queue", "control_folder": folder + "/control"})

@app.task
def told(numbers):
    for number in numbers:
        tell(folder, number)
"""


def _celery(folder: Path, processes: int, left: list[int]) -> None:
    """A worker, whose processes end after each task: no code of theirs runs at the end. It is killed with all of them."""
    pytest.importorskip("celery")
    first = not _told(folder)
    for name in ("queue", "control"):
        (folder / name).mkdir(exist_ok=True)
    (folder / "tasks.py").write_text(_TASKS)
    send = "import sys, tasks; [tasks.told.delay(list(map(int, one.split(',')))) for one in sys.argv[1:]]"
    size = max(5, len(left) // 200)
    groups = [",".join(map(str, left[at : at + size])) for at in range(0, len(left), size)]
    subprocess.run([sys.executable, "-c", send, *groups], check=True, env=_env(folder), cwd=folder, timeout=_SECONDS)
    worker = ("-m", "celery", "-A", "tasks", "worker", "--concurrency", str(processes), "--max-tasks-per-child", "1",
              "--without-gossip", "--without-mingle", "--without-heartbeat")  # fmt: skip
    with _program(folder, *worker) as process:
        _wait(lambda: len(_told(folder)) >= len(left) // 4 if first else not list((folder / "queue").iterdir()))
        if not first:
            _wait(lambda: set(left) <= _told(folder), 5)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(_SECONDS)


def application(folder: str) -> Callable[[Any, Any], Any]:
    """An endpoint that acknowledges each notification, recorded."""

    def app(environ: Any, start: Any) -> list[bytes]:
        environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        start("200 OK", [("Content-Type", "application/json")])
        return [b"{}"]

    return recorded_wsgi(app, _exact(folder))


@cache
def _exact(folder: str) -> Recorder:
    return Recorder(Path(folder) / "captures", exact=True, file_bytes=200_000)


def _gunicorn(folder: Path, processes: int, left: list[int]) -> None:
    """Workers that fork from one that has the application already, and are killed one after the other."""
    pytest.importorskip("gunicorn")
    port = lasting_port()
    (folder / "served.py").write_text(
        "import os\nfrom tests.audit.helpers.record_many import application\napp = application(os.environ['FOLDER'])\n"
    )
    serve = ("-m", "gunicorn", "--preload", "--workers", str(processes), "--bind", f"127.0.0.1:{port}", "served:app")
    drawn = random.Random(1)
    with _program(folder, *serve) as process, open(folder / "told", "ab", buffering=0) as told:
        for number in left:
            if number % 40 == 20:
                workers = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=False)
                os.kill(int(drawn.choice(workers.stdout.split())), signal.SIGKILL)
            body = b'{"data":{"outTradeNo":"ORD_%d"}}' % number
            if _posted(port, body):
                told.write(b"%d\n" % number)
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(_SECONDS)


def _posted(port: int, body: bytes) -> bool:
    until = time.monotonic() + _SECONDS
    while time.monotonic() < until:
        connection = HTTPConnection("127.0.0.1", port, timeout=_SECONDS)
        try:
            connection.request("POST", "/n", body, {"Content-Type": "application/json"})
            return connection.getresponse().status == 200
        except OSError:  # it starts, or was killed
            time.sleep(0.02)
        except Exception:
            return False
        finally:
            connection.close()
    return False


def _env(folder: Path) -> dict[str, str]:
    paths = os.pathsep.join((str(folder), str(_TOP), *(path for path in sys.path if path)))
    return {**os.environ, "PYTHONPATH": paths, "FOLDER": str(folder)}


@contextmanager
def _program(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    with open(folder / "output", "ab") as output:
        process = subprocess.Popen(
            [sys.executable, *arguments], cwd=folder, env=_env(folder), stdout=output, stderr=output,
            start_new_session=True,
        )  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(_SECONDS)


def _wait(true: Callable[[], bool], seconds: float = _SECONDS) -> None:
    until = time.monotonic() + seconds
    while not true() and time.monotonic() < until:
        time.sleep(0.01)


class Kind(NamedTuple):
    run: Callable[[Path, int, list[int]], None]
    marks: tuple[pytest.MarkDecorator, ...] = (pytest.mark.slow,)


KINDS = {
    "fork": Kind(_children("fork"), ()),
    "spawn": Kind(_children("spawn")),
    "pool": Kind(_pool, ()),
    "recycled pool": Kind(_recycled, ()),
    "celery": Kind(_celery, (pytest.mark.full,)),
    "gunicorn": Kind(_gunicorn, (pytest.mark.full,)),
}


def all_of(kind: str, folder: Path, processes: int, each: int) -> set[int]:
    """Run a program until it has told each number, starting it again after it was killed. Return what it told."""
    wanted = set(range(processes * each))
    for _ in range(5):
        left = sorted(wanted - _told(folder))
        if left:
            KINDS[kind].run(folder, processes, left)
    return _told(folder)
