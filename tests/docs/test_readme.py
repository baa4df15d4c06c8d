"""The README's commands and code, run in its order: what it shows is what happens."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.support.packages import PACKAGES
from tests.support.ports import lasting_port
from tests.support.recorded import findings_of

TOP = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [(match[1], match[2]) for match in _BLOCK.finditer((TOP / "README.md").read_text(encoding="utf-8"))]


class Reader:
    """Somebody who types what the README says, in a folder of their own, on a port that is free."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = lasting_port()
        self.notified = lasting_port()
        self.names: dict[str, object] = {}
        self.ran: list[str] = []
        self.background: list[subprocess.Popen[bytes]] = []
        programs = folder / "bin"
        programs.mkdir()
        program = programs / "paywright"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m paywright_cli "$@"\n')
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PAYWRIGHT_")}
        self.env = {**kept, "PATH": f"{programs}{os.pathsep}{kept['PATH']}", "PYTHONPATH": PACKAGES}

    def follow(self, language: str, text: str) -> None:
        text = text.replace("8787", str(self.port)).replace("9000", str(self.notified))
        if language == "python":
            exec(compile(text, "README.md", "exec"), self.names)
            return
        lines = []
        for line in text.splitlines():
            if line.startswith("make "):
                self.rehearse(line)
            elif line.startswith("pip install "):
                assert line.split("[")[0] == "pip install '.", "what tests/packaging installs"
            elif line.endswith("&"):
                self.shell("\n".join(lines))
                lines.clear()
                self.serve(line.removesuffix("&"))
            else:
                lines.append(line)
        self.shell("\n".join(lines))

    def rehearse(self, line: str) -> None:
        """`make` in full would run this test within itself: that the targets can be made is what is looked at."""
        done = subprocess.run([*line.split(), "--dry-run"], cwd=TOP, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stderr
        self.ran.append(line)

    def shell(self, script: str) -> None:
        dump = f'"{sys.executable}" -c "import json, os; print(chr(0) + json.dumps(dict(os.environ)))"'
        done = subprocess.run(
            ["sh", "-eu", "-c", f"{script}\n{dump}"],
            cwd=self.folder,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
        self.env = json.loads(done.stdout.rpartition("\0")[2])
        self.ran += script.splitlines()

    def serve(self, line: str) -> None:
        """Run a server in the background, and wait until it answers."""
        listens = line.startswith("paywright listen")
        with (self.folder / "listen.txt").open("ab") as shown:
            process = subprocess.Popen(
                line.split(), cwd=self.folder, env=self.env, stdout=shown if listens else subprocess.DEVNULL, stderr=-3
            )
        self.background.append(process)
        until = time.monotonic() + 600
        while True:
            connection = HTTPConnection("127.0.0.1", self.notified if listens else self.port, timeout=600)
            try:
                connection.request("GET", "/_sandbox/health")
                if connection.getresponse().status == (405 if listens else 200):
                    break
            except OSError:
                assert time.monotonic() < until, f"{line} does not answer"
                assert process.poll() is None, f"{line} ended"
                time.sleep(0.05)
            finally:
                connection.close()
        self.ran.append(line)

    def received(self, what: str) -> list[str]:
        """Lines of `paywright listen` that contain `what`, once there is one."""
        until = time.monotonic() + 600
        while True:
            lines = (self.folder / "listen.txt").read_text(encoding="utf-8").splitlines()
            found = [line for line in lines if what in line]
            if found or time.monotonic() > until:
                return found
            time.sleep(0.05)

    def leave(self) -> None:
        client = self.names.get("client")
        if client is not None:
            client.close()  # type: ignore[attr-defined]  # it is the README's
        for process in self.background:
            process.terminate()
            assert process.wait(600) == 0


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    # As `paywright` finds its programs, so the shell of the README: by PATH, also for Popen.
    reader = Reader(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", reader.env["PATH"])
    yield reader
    reader.leave()


@pytest.mark.slow
def test_everything_the_readme_shows_works_in_its_order(reader: Reader, capsys: pytest.CaptureFixture[str]) -> None:
    for language, text in BLOCKS:
        reader.follow(language, text)
    # Whoever runs its programs again, because that is what one does, sees the same again.
    for text in [text for language, text in BLOCKS if language == "python"]:
        reader.follow("python", text)
    printed = capsys.readouterr().out
    assert printed.count("PENDING APPLY_SUCCESS") == 2
    assert printed.count("REFUND_PENDING REFUND_PENDING") == 2
    assert f"http://127.0.0.1:{reader.port}/_sandbox/cashier/" in printed
    assert "/data/outTradeNo format" in printed
    assert "/data/refundAmount: type" in printed
    assert " unsigned" in printed
    assert printed.count("SUCCESS inquiry") == 2, "what the follower learned"
    assert sum(line.startswith("paywright ") for line in reader.ran) >= 8
    (transfer,) = reader.received(" 40.00 USD")
    assert " RECEIVE " in transfer
    assert transfer.endswith("-> handled (200)")
    assert reader.received(" CHECK"), "what check-receiver sends"
    reader.shell("paywright sandbox log --dir shop --output everything.jsonl")
    assert findings_of((reader.folder / "everything.jsonl").read_bytes(), reader.folder / "shop") == []


def test_there_is_something_to_run() -> None:
    assert {language for language, _ in BLOCKS} == {"sh", "python"}
    assert len(BLOCKS) >= 9
