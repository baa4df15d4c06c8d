"""How an audit runs in several processes, and with ones that die."""

from __future__ import annotations

import gzip
import io
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from shutil import copy, copytree
from typing import Any

import pytest

from paywright_audit.input.captures.chunks import Span
from paywright_audit.running import jobs, tasks
from paywright_audit.settings.audit_settings import AuditSettings
from paywright_cli.main import main
from tests.audit.helpers import tools
from tests.audit.helpers.planted_capture import make_capture, make_stranger
from tests.audit.helpers.records import Scribe


@pytest.fixture
def file(keys: Path, tmp_path: Path) -> Path:
    scribe = Scribe(keys)
    scribe.call("orders.checkout", {"outTradeNo": "O1", "currency": "US"}, {"outTradeNo": "O1"})
    made = tmp_path / "log.jsonl"
    made.write_bytes(scribe.bytes() * 300)
    return made


def test_a_place_in_a_part_of_a_file_is_told_as_one_in_the_file(
    file: Path, keys: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def one_after_the_other(pool: Any, parts: Iterable[Any]) -> Iterator[Any]:
        monkeypatch.setattr(jobs, "_started", [pool._given])
        return map(jobs._work, parts)

    last = Scribe(keys)
    last.call("orders.checkout", {"outTradeNo": 1, "currency": "USD"}, {"outTradeNo": "O2"})
    file.write_bytes(file.read_bytes() + last.bytes())
    monkeypatch.setattr(tasks, "CHUNK", 1 << 16)
    monkeypatch.setattr(jobs._Pool, "run", one_after_the_other)
    made = [(main(["audit", str(file), "--jobs", count]), capsys.readouterr().out) for count in ("1", "2")]
    assert made[0] == made[1]
    assert "line 301" in made[0][1]


def test_no_process_waits_long_for_the_last_chunk(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "CHUNK", 1 << 14)
    spans = [task.chunk.content for task in tasks.tasks_of([str(file)], 2, print) if task.chunk is not None]
    sizes = [span.size for span in spans if isinstance(span, Span)]
    assert max(sizes) < 1 << 15
    assert sum(sizes) == file.stat().st_size


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere libraries may not be copied")
def test_a_process_is_copied_only_if_it_has_no_other_thread() -> None:
    asked = "from paywright_audit.running.jobs import _start_method; print(_start_method())"
    threads = "import threading, time; threading.Thread(target=time.sleep, args=(60,), daemon=True).start()"
    for program, due in ((asked, "fork"), (f"{threads}; {asked}", "spawn")):
        made = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
        assert made.stdout == f"{due}\n"


@pytest.mark.slow
def test_processes_that_do_not_end_are_killed() -> None:
    """As those that wait for a lock which one that died took along."""
    pool = jobs._Pool(jobs._Work(AuditSettings(), Path(), False), 1)
    pool._pool = executor = ProcessPoolExecutor(1, get_context("spawn"))
    process = executor.submit(os.getpid).result(60)
    os.kill(process, signal.SIGSTOP)
    pool.end(0.2)
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


@pytest.mark.slow
def test_a_dead_worker_ends_it_and_leaves_no_more_behind_than_others(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tasks, "CHUNK", 1 << 16)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    for work, code in ((jobs._work, 1), (tools.die, 3)):
        monkeypatch.setattr(jobs, "_work", work)
        capsys.readouterr()
        assert main(["audit", str(file), "--jobs", "2"]) == code
        assert list((tmp_path / "temporary").iterdir()) == []
    out = capsys.readouterr()
    assert (out.out, "Traceback" in out.err) == ("", False)
    assert "a process that judged a part of the input has ended" in out.err
    assert "Run it again with fewer --jobs" in out.err


@pytest.fixture(scope="module")
def forms(keys: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One capture in each form that one process reads."""
    secrets = Path(copytree(keys / "keys", tmp_path_factory.mktemp("forms") / "keys"))
    make_stranger(secrets)
    calls, har, small = make_capture(secrets, tmp_path_factory.mktemp("whole"), 700, 3, 1).files
    packed = calls.with_suffix(".gz")
    packed.write_bytes(gzip.compress(calls.read_bytes()))
    made = {"gzip": packed, "har": har, "small": small, "-": calls}
    if find_spec("zstandard") is not None:
        made["zstd"] = calls.with_suffix(".zst")
        made["zstd"].write_bytes(import_module("zstandard").ZstdCompressor().compress(calls.read_bytes()))
    return made


@pytest.mark.slow
@pytest.mark.parametrize("form", ["gzip", "zstd", "har", "small", "-"])
def test_one_file_of_any_form_is_judged_by_several_processes(
    forms: dict[str, Path], form: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if form not in forms:
        pytest.skip("zstandard is not installed")
    monkeypatch.setattr(tasks, "CHUNK", 20_000)
    given: list[int] = []
    run = jobs._Pool.run

    def counted(pool: Any, parts: Iterable[Any]) -> Iterator[Any]:
        listed = list(parts)
        given.append(len(listed))
        return run(pool, listed)

    monkeypatch.setattr(jobs._Pool, "run", counted)
    made = []
    for count in ("1", "3"):
        with forms[form].open("rb") as file:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(file)))
            name = form if form == "-" else str(forms[form])
            made.append((main(["audit", name, "--format", "json", "--jobs", count]), capsys.readouterr()))
    assert made[0] == made[1]
    assert made[0][0] in (1, 4)
    assert given[0] > 2


@pytest.mark.slow
def test_many_files_are_not_cut(forms: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [str(copy(forms["har"], tmp_path / f"{number}.har")) for number in range(8)]
    for number, cut in ((1, False), (2, False), (3, True)):
        assert [task.chunk is not None for task in tasks.tasks_of(names, number, print)] == [cut] * 8
    made = []
    for count in ("1", "2"):
        made.append((main(["audit", *names, "--format", "json", "--jobs", count]), capsys.readouterr()))
    assert made[0] == made[1]
