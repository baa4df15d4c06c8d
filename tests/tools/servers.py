"""Deliveries through real servers and reverse proxies: what arrives, as the table of docs/servers.md says.

The proxies are Debian's; what is not on this machine is left out by name. The servers come from PyPI, into an environment of their own.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Final

from tests.receiver.helpers.desk import sign, transfer
from tests.support.keys import key_pair
from tests.support.packages import PACKAGES
from tests.support.ports import lasting_port
from tests.support.tables import table

TOP: Final = Path(__file__).resolve().parents[2]
PAGE: Final = TOP / "docs" / "servers.md"
INSTALLED: Final = (
    "aiohttp==3.14.5", "blacksheep==2.6.4", "bottle==0.13.4", "cheroot==11.1.2", "cryptography", "daphne==4.2.3", "falcon==4.4.0",
    "gevent==26.9.0", "granian==2.8.9", "gunicorn==27.0.1", "hypercorn==0.18.0", "litestar==2.25.0", "quart==0.22.0",
    "robyn==0.88.0", "sanic==25.12.1", "tornado==6.6.1", "urllib3>=2.7", "uvicorn==0.54.0", "waitress==3.0.2", "werkzeug==3.1.9",
)  # fmt: skip
SERVERS: Final = (
    "wsgi_wsgiref", "wsgi_werkzeug", "wsgi_gunicorn", "wsgi_waitress", "wsgi_cheroot", "wsgi_gevent", "wsgi_tornado",
    "wsgi_hypercorn", "asgi_hypercorn", "asgi_uvicorn", "asgi_daphne", "asgi_granian",
    "aiohttp", "sanic", "tornado", "falcon", "bottle", "quart", "litestar", "blacksheep", "robyn",
)  # fmt: skip
PROXIES: Final = table("tools/proxies.yaml")


def listens(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def running(port: int, log: Path, *command: str, **env: str) -> Iterator[None]:
    with log.open("wb") as written:
        process = subprocess.Popen(command, cwd=TOP, env={**os.environ, **env}, stdout=written, stderr=written)
    try:
        end = time.monotonic() + 60
        while not listens(port):
            assert process.poll() is None, log.read_text()[-2000:]
            assert time.monotonic() < end, f"{command} does not listen"
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(60)
        end = time.monotonic() + 30
        while listens(port) and time.monotonic() < end:
            time.sleep(0.05)


def sent(port: int, raw: bytes, *signatures: str, chunked: bool = False) -> int:
    """The status of the answer; 0 if there is none."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        try:
            connection.putrequest("POST", "/pay")
            connection.putheader("Content-Type", "application/json")
            for one in signatures:
                connection.putheader("sign", one)
            how = ("Transfer-Encoding", "chunked") if chunked else ("Content-Length", str(len(raw)))
            connection.putheader(*how)
            connection.endheaders([raw[:100], raw[100:]] if chunked else raw, encode_chunked=chunked)
            answer = connection.getresponse()
            answer.read()
            return answer.status
        except (OSError, HTTPException):
            return 0


def seen(port: int, name: str) -> tuple[list[int], set[str]]:
    """The statuses of valid, the same again, chunked, unsigned and twice signed deliveries; and which should have an effect."""
    raws = {
        shape: json.dumps(transfer(f"{name}/{shape}", at=datetime.now(UTC))).encode()
        for shape in ("valid", "chunked", "unsigned", "twice")
    }
    signatures = {shape: sign(raw) for shape, raw in raws.items()}
    statuses = [
        sent(port, raws["valid"], signatures["valid"]),
        sent(port, raws["valid"], signatures["valid"]),
        sent(port, raws["chunked"], signatures["chunked"], chunked=True),
        sent(port, raws["unsigned"]),
        sent(port, raws["twice"], signatures["twice"], signatures["twice"]),
    ]
    shapes = ("valid", "valid", "chunked", "unsigned", "twice")
    return statuses, {f"{name}/{shape}" for shape, status in zip(shapes, statuses, strict=True) if status == 200}


def _label(server: str) -> str:
    name = server.rpartition("_")[2]
    version = next((f" {one.partition('==')[2]}" for one in INSTALLED if one.startswith(f"{name}==")), "")
    return f"{name}{version}"


def servers(folder: Path, absent: Callable[[str], object]) -> None:
    """Compare each row of the page with what is seen now. Raises `AssertionError` with the rows that differ."""
    python = TOP / ".cache" / "tools" / "servers" / "bin" / "python"
    if not (python.parent / "hypercorn").exists():
        subprocess.run([sys.executable, "-m", "venv", python.parents[1]], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *INSTALLED], check=True, timeout=900)
    ledger, backend = folder / "shop.db", lasting_port()
    with closing(sqlite3.connect(ledger)) as db, db:
        db.execute("CREATE TABLE effects (number TEXT)")
    env = {
        "PYTHONPATH": PACKAGES, "SHOP_LEDGER": str(ledger), "PAYWRIGHT_APP_ID": "app_1",
        "PAYWRIGHT_GATEWAY_KEYS": key_pair(0).public_line,
    }  # fmt: skip
    ways, found, alike = {"": backend}, set[str](), dict[str, dict[str, None]]()
    with ExitStack() as stack:
        for name, (program, arguments, text) in ((name, one.values()) for name, one in PROXIES.items()):
            path = shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin")
            if path is None:
                absent(program)
                continue
            ways[name], place = lasting_port(), folder / re.sub(r"\W", "", name)
            place.mkdir()
            values = {"file": place / "conf", "folder": place, "port": ways[name], "backend": backend}
            (place / "conf").write_text(text.format(**values))
            command = [path, *(one.format(**values) for one in arguments)]
            stack.enter_context(running(ways[name], place / "log", *command, XDG_DATA_HOME=str(place)))
        for server in SERVERS:
            command = [str(python), "-m", "tests.tools.server_programs", server, str(backend)]
            chunked, twice = [], []
            with running(backend, folder / f"{server}.log", *command, **env):
                for way, port in ways.items():
                    if way.endswith("HTTP/2") and "hypercorn" not in server:
                        chunked.append("")
                        continue
                    statuses, effects = seen(port, f"{server}{way}")
                    found |= effects
                    assert (*statuses[:2], statuses[3]) == (200, 200, 401), (
                        server,
                        way,
                        statuses,
                        (folder / f"{server}.log").read_text()[-1500:],
                    )
                    chunked.append(
                        "yes" if statuses[2] == 200 else "no"
                    )  # 411, or 502 of a proxy that was still sending
                    twice.append("yes" if statuses[4] == 200 else "no")
            arrived = " | ".join([*chunked, " or ".join(sorted(set(twice)))])
            alike.setdefault(arrived, {})[_label(server)] = None
    with closing(sqlite3.connect(ledger)) as db:
        numbers = [number for (number,) in db.execute("SELECT number FROM effects")]
    assert sorted(numbers) == sorted(found), set(numbers) ^ found
    page = PAGE.read_text(encoding="utf-8")
    rows = [f"| {', '.join(names)} | {arrived} |" for arrived, names in alike.items()]
    new = [row for row in rows if len(ways) == len(PROXIES) + 1 and row not in page]
    assert not new, "the page does not say\n" + "\n".join(new)


if __name__ == "__main__":
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as made:
        servers(Path(made), print)
