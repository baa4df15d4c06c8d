"""The sandbox as a process: it starts, keeps its state over stops and kills, and stops cleanly."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Timer

import pytest

from paywright_runtime.errors import ConfigurationError
from paywright_sandbox.engine.state.state import State
from paywright_sandbox.engine.state.state import Timer as Due
from paywright_sandbox.gateway import open_store
from tests.sandbox.helpers.plain import PlainClient


@contextmanager
def process(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], PlainClient]]:
    command = [sys.executable, "-m", "paywright_cli", "sandbox", "--dir", str(folder), "--port", "0", *options]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as served:
        watch = Timer(60, served.kill)
        watch.start()
        try:
            assert served.stdout is not None
            line = served.stdout.readline()
            found = re.match(r"Serving the gateway on http://127\.0\.0\.1:(\d+) for app_sandbox_1", line)
            assert found, served.communicate()[1]
            client = PlainClient(int(found[1]), folder)
            yield served, client
            client.close()
        finally:
            watch.cancel()
            served.kill()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_state_survives_a_clean_stop(folder: Path, number: signal.Signals) -> None:
    with process(folder) as (served, client):
        token = client.checkout("ORD_1")["data"]["tradeToken"]
        client.control("POST", "orders/ORD_1/pay")
        client.refund("REF_1", "ORD_1", 4.25)
        served.send_signal(number)
        out, err = served.communicate(timeout=600)
    assert (served.returncode, out.splitlines()[-1]) == (0, f"Stopped. The state is kept in {folder / 'state.sqlite3'}.")  # fmt: skip
    assert "Traceback" not in err
    assert "orders.checkout -> 200 APPLY_SUCCESS" in err
    with process(folder, "--quiet") as (served, client):
        assert client.checkout("ord_1")["code"] == "ORDER_REPEAT"
        assert client.query("ORD_1")["data"]["status"] == "SUCCESS"
        assert client.refund("REF_2", "ORD_1", 6.26)["code"] == "REFUND_INSUFFICIENT_BALANCE"
        assert client.checkout("ORD_2")["data"]["tradeToken"] > token


def test_memory_keeps_nothing_on_disk(folder: Path) -> None:
    with process(folder, "--memory") as (served, client):
        client.checkout("ORD_1")
        served.send_signal(signal.SIGTERM)
        assert served.wait(600) == 0
    assert not (folder / "state.sqlite3").exists()


def test_what_fails_leaves_nothing(folder: Path) -> None:
    store, due = open_store(folder / "state.sqlite3"), Due(datetime(2025, 6, 1, tzinfo=UTC), "test", 1)

    def fails(state: State) -> None:
        with state.undone_if_it_raises():
            state.set_timer(late := due._replace(subject=2))
            assert [state.take_due(due.at) for _ in range(3)] == [due, late, None]
            state.record(due.at, "test", "1", {})
            raise ZeroDivisionError

    with store.transaction() as state:
        assert state.take_due(due.at) is None
        state.set_timer(due)
    kept = store.snapshot()
    with pytest.raises(ZeroDivisionError), store.transaction() as state:
        fails(state)
    with store.transaction() as state, pytest.raises(ZeroDivisionError):
        fails(state)
    for _ in range(2):
        for found in ([due, None], [None, None]):
            with store.transaction() as state:
                assert state.all("SELECT * FROM events") == []
                assert [state.take_due(due.at), state.take_due(due.at)] == found
        store.restore(kept)
    store.close()


def test_a_folder_is_served_by_one_process(folder: Path) -> None:
    first = open_store(folder / "state.sqlite3")
    with pytest.raises(ConfigurationError, match="another sandbox serves this folder"):
        open_store(folder / "state.sqlite3")
    first.close()
    open_store(folder / "state.sqlite3").close()


def test_a_state_file_of_another_kind_is_not_touched(folder: Path) -> None:
    file = folder / "state.sqlite3"
    file.write_bytes(b"not a database, but somebody's notes" * 100)
    with pytest.raises(ConfigurationError, match="Move it away"):
        open_store(file)
    assert file.read_bytes().startswith(b"not a database")


def test_state_is_readable_by_its_owner_alone(folder: Path) -> None:
    store = open_store(folder / "state.sqlite3")
    assert {file.stat().st_mode & 0o077 for file in folder.glob("state.sqlite3*")} == {0}
    store.close()
