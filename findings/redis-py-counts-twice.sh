#!/usr/bin/env bash
# redis 8.1.0 (redis-py), beside valkey 6.2.0, its fork, seen on 2026-12-01.
# One would guess: a command is sent once, unless a Retry is given; if the connection breaks before the answer, ConnectionError is raised.
# What happens: redis-py connects anew and sends it again, whatever it is: the server has done INCRBY, and does it once more: 10 is
# 20, and the caller gets 20. RPUSH, a pipeline, MULTI with EXEC and the asyncio client too. With `retry=None` it raises, as valkey does.
# Why it matters: a balance, a stock or a queue of payouts is counted twice when a proxy or a server in between is restarted.
# Known to: docs/outcomes.md, of calls: what is not known is asked for.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet redis==8.1.0 valkey==6.2.0 || exit 2
venv/bin/python - <<'PY'
import asyncio
import socket
import threading

import redis
import redis.asyncio
import valkey


class Server:
    """Speaks as much of Redis's protocol as is needed, and closes one connection after the first command that has changed something."""

    def __init__(self):
        self.balance, self.queue, self.changes = 0, [], 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            threading.Thread(target=self.serve, args=[self.listener.accept()[0]], daemon=True).start()

    def do(self, command):
        if command[0] == "INCRBY":
            self.balance += int(command[2])
            return b":%d\r\n" % self.balance
        if command[0] == "RPUSH":
            self.queue.append(command[2])
            return b":%d\r\n" % len(self.queue)
        return b"%1\r\n$5\r\nproto\r\n:3\r\n" if command[0] == "HELLO" else b"+OK\r\n"

    def serve(self, connection):
        reader, queued = connection.makefile("rb"), None
        while header := reader.readline():
            command = []
            for _ in range(int(header[1:])):
                length = int(reader.readline()[1:])
                command.append(reader.read(length + 2)[:-2].decode())
            if command[0] == "MULTI":
                queued, answer = [], b"+OK\r\n"
            elif command[0] == "EXEC":
                answers = [self.do(each) for each in queued]
                queued, answer = None, b"*%d\r\n" % len(answers) + b"".join(answers)
                self.changes += 1
            elif queued is not None:
                queued.append(command)
                answer = b"+QUEUED\r\n"
            else:
                answer = self.do(command)
                self.changes += command[0] in ("INCRBY", "RPUSH")
            if self.changes == 1:
                self.changes += 1
                break
            connection.sendall(answer)
        reader.close()
        connection.close()


def pipelined(client, transaction):
    pipeline = client.pipeline(transaction=transaction)
    pipeline.incrby("balance", 10)
    return pipeline.execute()


async def awaited(port):
    async with redis.asyncio.Redis(port=port) as client:
        return await client.incrby("balance", 10)


def seen_of(call):
    server = Server()
    try:
        answer = call(server.port)
    except (redis.ConnectionError, valkey.ConnectionError):
        answer = "ConnectionError"
    return answer, server.balance, server.queue


seen = {
    "incrby": seen_of(lambda port: redis.Redis(port=port).incrby("balance", 10)),
    "rpush": seen_of(lambda port: redis.Redis(port=port).rpush("payouts", "A-1")),
    "pipeline": seen_of(lambda port: pipelined(redis.Redis(port=port), False)),
    "transaction": seen_of(lambda port: pipelined(redis.Redis(port=port), True)),
    "asyncio": seen_of(lambda port: asyncio.run(awaited(port))),
    "retry=None": seen_of(lambda port: redis.Redis(port=port, retry=None).incrby("balance", 10)),
    "valkey": seen_of(lambda port: valkey.Valkey(port=port).incrby("balance", 10)),
}
for what, said in seen.items():
    print(what, *said)
assert seen == {
    "incrby": (20, 20, []),
    "rpush": (2, 0, ["A-1", "A-1"]),
    "pipeline": ([20], 20, []),
    "transaction": ([20], 20, []),
    "asyncio": (20, 20, []),
    "retry=None": ("ConnectionError", 10, []),
    "valkey": ("ConnectionError", 10, []),
}, "this has changed"
PY
