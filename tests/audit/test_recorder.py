"""The recorder's files: every exchange is in one or counted, whatever ends the process, and no other file is touched."""

from __future__ import annotations

import json
import os
import stat
from base64 import b64decode
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from paywright_audit import AuditSetupError, Recorder, recorded_wsgi
from paywright_audit.recording import endpoints
from paywright_audit.recording import recorder as module
from paywright_audit.recording.captured import Captured, capture_record
from paywright_receiver import MemoryLedger, wsgi_app
from tests.audit.helpers.record_many import KINDS, all_of
from tests.receiver.helpers.desk import Desk, sign, transfer
from tests.support.forks import Fork, any_fork, in_child, needs_fork
from tests.support.time_limits import TimeLimit, needs_signals, strike, time_limit

Json = dict[str, Any]


def records(folder: Path, form: str = "*.jsonl") -> list[Json]:
    return [json.loads(line) for file in sorted(folder.glob(form)) for line in file.read_bytes().splitlines()]


def numbers(folder: Path) -> list[str]:
    bodies = [one["request"]["body"] for one in records(folder)]
    return [(one.get("parsed") or json.loads(b64decode(one["base64"])))["data"]["outTradeNo"] for one in bodies]


def exchange(recorder: Recorder, number: object = 0) -> Captured:
    body = json.dumps({"data": {"outTradeNo": f"ORD_{number}"}}).encode()
    url = "https://gateway.example/aggregate-pay/api/gateway/orderAndPay"
    return Captured(recorder, "call", lambda: ("POST", url, [("Content-Type", "application/json")], body))


def record(recorder: Recorder, number: object = 0) -> None:
    exchange(recorder, number).answered(200, [], b"{}")


def size_of(recorder: Recorder) -> int:
    seen = exchange(recorder)
    seen.whole, seen.status = True, 200
    return len(capture_record(seen, exact=True))


def test_files_are_of_their_owner_alone_and_bounded(tmp_path: Path) -> None:
    folder = tmp_path / "made" / "for it"
    size = size_of(Recorder(folder))
    before = os.umask(0)
    try:
        for round_ in range(8):
            with Recorder(folder, exact=True, file_bytes=4 * size, total_bytes=20 * size) as recorder:
                for number in range(10):
                    record(recorder, number)
            assert recorder.lost == 0, round_
    finally:
        os.umask(before)
    files = sorted(folder.iterdir())
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert {stat.S_IMODE(one.stat().st_mode) for one in (folder, folder.parent)} == {0o700}
    assert sum(file.stat().st_size for file in files) <= 21 * size


def aged(folder: Path, days: float, size: int = 10) -> Path:
    """A finished file of a recorder that began so many days ago."""
    begun = datetime.now(UTC) - timedelta(days=days)
    file = folder / f"paywright-{begun:%Y%m%dT%H%M%S%f}-7.jsonl"
    file.write_bytes(b"\n" * size)
    os.utime(file, (begun.timestamp(), begun.timestamp()))
    return file


OF_OTHERS = (
    "bank-2020.jsonl", "shop-export-2024-01.jsonl", "orders-2026.jsonl", "access-log.jsonl", "20200101T120000000000-1.jsonl",
    "paywright-2020.jsonl", "paywright-20200101T120000000000-1.jsonl.gz", "paywright-99999999T999999999999-1.jsonl",
)  # fmt: skip


def test_a_file_of_another_name_is_never_removed(tmp_path: Path) -> None:
    for name in OF_OTHERS:
        (tmp_path / name).write_bytes(b"\n" * 5_000)
        os.utime(tmp_path / name, (0, 0))
    gone = aged(tmp_path, 40), aged(tmp_path, 2, 5_000)
    stays = aged(tmp_path, 1)
    with Recorder(tmp_path, file_bytes=1_000, total_bytes=2_000) as recorder:
        record(recorder)
    assert {name for name in OF_OTHERS if not (tmp_path / name).exists()} == set()
    assert ([file.exists() for file in gone], stays.exists()) == ([False, False], True)


def test_a_file_that_a_process_writes_is_never_removed(tmp_path: Path) -> None:
    with Recorder(tmp_path, file_bytes=10_000) as quiet:
        record(quiet, "quiet")
        with Recorder(tmp_path, exact=True, file_bytes=600, total_bytes=1_200) as busy:
            for number in range(20):
                record(busy, number)
        record(quiet, "quiet")
    assert (quiet.lost, busy.lost) == (0, 0)
    (file,) = [
        one for one in tmp_path.iterdir() if len(one.read_bytes().splitlines()) == 2 and b"quiet" in one.read_bytes()
    ]
    with Recorder(tmp_path, exact=True, file_bytes=600, total_bytes=1_200) as busy:
        for number in range(20):
            record(busy, number)
    assert not file.exists(), "it is finished, and the oldest"


@pytest.mark.parametrize("ahead", [0, 31])
def test_a_wrong_clock_removes_nothing(ahead: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Ahead(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return datetime.now(tz) + timedelta(days=ahead)

    files = [aged(tmp_path, days) for days in (0, 0.1, 0.2, 29)]
    monkeypatch.setattr(module, "datetime", Ahead)
    with Recorder(tmp_path) as recorder:
        record(recorder)
    assert [file.exists() for file in files] == [True] * 4


def test_a_file_that_somebody_removes_is_counted_and_followed_by_another(tmp_path: Path) -> None:
    recorder = Recorder(folder := tmp_path / "r")
    for number in range(5):
        record(recorder, number)
    (file,) = folder.iterdir()
    file.unlink()
    folder.rmdir()
    record(recorder, "later")
    assert recorder.lost == 5
    assert numbers(folder) == ["ORD_later"]
    next(folder.iterdir()).unlink()
    recorder.close()
    assert recorder.lost == 6


def test_a_program_that_changes_its_folder_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Recorder("captures") as recorder:
        monkeypatch.chdir("/")
        record(recorder)
    assert (len(records(tmp_path / "captures")), recorder.lost) == (1, 0)


def test_nothing_that_fails_reaches_the_call(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = Recorder(tmp_path)
    Captured(recorder, "call", lambda: 1 / 0).end()  # type: ignore[arg-type, return-value]  # what it never does
    record(recorder, "before")
    write, torn = os.write, [True]

    def no_room(number: int, part: Any) -> int:
        if torn.pop():
            return write(number, part[:10])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", no_room)
        torn.extend([False, True])
        record(recorder)
    record(recorder, "after")
    recorder.close()
    record(recorder)
    assert recorder.lost == 3
    assert numbers(tmp_path) == ["ORD_before", "ORD_after"], "a line that was begun is taken back"
    assert [one.message for one in caplog.records if one.name == "paywright.recording"] == [
        "Exchanges are not recorded: ZeroDivisionError. Calls go on.",
        "Exchanges are not recorded: No space left on device. Calls go on.",
        "Exchanges are not recorded: the recorder is closed. Calls go on.",
    ]


@needs_signals
def test_a_time_limit_gets_out_of_a_recorder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder(tmp_path)
    app = recorded_wsgi(lambda environ, start: [], recorder)
    seen = exchange(recorder)
    monkeypatch.setattr(Recorder, "_check_process", strike)
    monkeypatch.setattr(endpoints, "request_uri", strike)
    with time_limit():
        with pytest.raises(TimeLimit):
            seen.end()
        with pytest.raises(TimeLimit):
            app({"REQUEST_METHOD": "POST"}, lambda *given: lambda part: None)
    assert recorder.lost == 2


def test_threads_lose_none(tmp_path: Path) -> None:
    def work() -> None:
        for number in range(50):
            record(recorder, number)

    with Recorder(tmp_path, file_bytes=20_000) as recorder:
        threads = [Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(600)
    assert (len(numbers(tmp_path)), recorder.lost) == (400, 0)


@needs_fork
@any_fork
def test_a_forked_process_writes_files_of_its_own_and_counts_for_itself(tmp_path: Path, fork: Fork) -> None:
    def in_the_child() -> None:
        assert recorder.lost == 0 or fork is not os.fork
        record(recorder, 2)
        assert recorder.lost == 0

    recorder = Recorder(tmp_path)
    Captured(recorder, "call", lambda: 1 / 0).end()  # type: ignore[arg-type, return-value]  # what it never does
    record(recorder, 1)
    with recorder._lock:  # as a thread may hold it at that moment
        assert in_child(in_the_child, fork) == 0
    record(recorder, 3)
    assert sorted(numbers(tmp_path)) == ["ORD_1", "ORD_2", "ORD_3"]
    assert (len(list(tmp_path.iterdir())), recorder.lost) == (2, 1)


@needs_fork
@pytest.mark.parametrize(
    ("kind", "processes", "each"),
    [
        *(pytest.param(kind, 2, 25, marks=KINDS[kind].marks) for kind in KINDS),
        *(pytest.param(kind, 8, 1_250, marks=pytest.mark.full) for kind in KINDS),
    ],
)
def test_whatever_ends_a_process_each_exchange_is_recorded(
    kind: str, processes: int, each: int, tmp_path: Path
) -> None:
    """Kill what records and start it again; all that was told as recorded is there, and nothing twice that was told once."""
    told = all_of(kind, tmp_path, processes, each)
    found = numbers(tmp_path / "captures")
    assert len(told) == processes * each
    assert {f"ORD_{one}" for one in told} - set(found) == set()


def test_somebody_without_a_key_removes_no_evidence_of_a_payment(tmp_path: Path) -> None:
    desk = Desk(MemoryLedger())
    desk.receiver.on_receive(lambda event: None)
    limits = {"file_bytes": 1024 * 1024, "total_bytes": 16 * 1024 * 1024}
    with Recorder(tmp_path, exact=True, **limits) as recorder:  # type: ignore[arg-type]  # numbers
        app = recorded_wsgi(wsgi_app(desk.receiver), recorder)
        raw = json.dumps(transfer()).encode()
        assert asked(app, raw, sign(raw)) == "200"
        assert {asked(app, b"x" * 1024 * 1024) for _ in range(20)} == {"401"}
        for _ in range(100):
            asked(app, b"x" * 20_000)
    kept = [file for file in tmp_path.iterdir() if "-refused" not in file.name]
    assert [one["response"]["status"] for file in kept for one in map(json.loads, file.open())] == [200]
    refused = [file.stat().st_size for file in tmp_path.glob("*-refused.jsonl")]
    assert sum(refused) <= limits["total_bytes"] // 16 + 64 * 1024
    assert {len(one["request"]["body"]["base64"]) for one in records(tmp_path, "*-refused.jsonl")} == {21_848}


def asked(app: Any, raw: bytes, signature: str = "") -> str:
    from io import BytesIO

    environ = {"REQUEST_METHOD": "POST", "wsgi.url_scheme": "http", "SERVER_NAME": "shop.example", "SERVER_PORT": "80",
               "PATH_INFO": "/paywright", "wsgi.input": BytesIO(raw), "CONTENT_LENGTH": str(len(raw)), "HTTP_SIGN": signature,
               "CONTENT_TYPE": "application/json"}  # fmt: skip
    started: list[str] = []
    list(app(environ, lambda status, *more: started.append(status)))
    return started[0][:3]


def test_a_folder_that_others_can_change_is_warned_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "r").mkdir(mode=0o700)
    Recorder(tmp_path / "r")
    assert caplog.records == []
    (tmp_path / "r").chmod(0o777)
    Recorder(tmp_path / "r")
    assert "r (mode 777). To stop that: chmod 700" in caplog.text


@pytest.mark.parametrize("limits", [{"file_bytes": 0}, {"file_bytes": 10, "total_bytes": 9}, {"max_age": timedelta(0)}])
def test_limits_that_cannot_be_are_refused(tmp_path: Path, limits: Any) -> None:
    with pytest.raises(AuditSetupError, match="file_bytes is above 0 and at most total_bytes"):
        Recorder(tmp_path, **limits)


@pytest.mark.parametrize("name", ["file/r", "file"])
def test_a_folder_that_cannot_be_made_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(AuditSetupError, match=f"{name} cannot be made: File exists"):
        Recorder(tmp_path / name)
