"""A reader of a page: runs its blocks in their order, in a folder of their own, on ports that are free."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from http.client import HTTPConnection
from pathlib import Path
from unittest.mock import patch

from tests.docs.pages import environment, programs, shell
from tests.support.packages import TOP
from tests.support.ports import lasting_port

_BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: str) -> list[tuple[str, str]]:
    """The blocks of a page that are run: the language and the text of each."""
    return [(match[1], match[2]) for match in _BLOCK.finditer((TOP / page).read_text(encoding="utf-8"))]


class Reader:
    """Somebody who types what a page says, in a folder of their own, on a port that is free."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = lasting_port()
        self.notified = lasting_port()
        self.names: dict[str, object] = {}
        self.ran: list[str] = []
        self.shown = ""
        self.background: list[subprocess.Popen[bytes]] = []
        self.env = environment(PATH=programs(folder))

    def follow(self, language: str, text: str) -> None:
        text = text.replace("8787", str(self.port)).replace("9000", str(self.notified))
        if language == "python":
            self.python(text)
            return
        lines = []
        for line in text.splitlines():
            if line.startswith("make "):
                self.rehearse(line)
            elif line.startswith("pip install "):
                assert line.split("[")[0] in (
                    "pip install '.",
                    "pip install 'paywright",
                ), "what tests/packaging installs"
            elif line.endswith("&"):
                self.shell("\n".join(lines))
                lines.clear()
                self.serve(line.removesuffix("&"))
            else:
                lines.append(line)
        self.shell("\n".join(lines))

    def python(self, text: str) -> None:
        """Run a block, after those before it; one that begins with the name of a file is written there."""
        named = re.match(r"# (\w+\.py)\n", text)
        if named is not None:
            (self.folder / named[1]).write_text(text, encoding="utf-8")
            return
        settings = {name: value for name, value in self.env.items() if name.startswith("PAYWRIGHT_")}
        with patch.dict(os.environ, settings):
            exec(compile(text, "page", "exec"), self.names)

    def rehearse(self, line: str) -> None:
        """`make` in full would run this test within itself: that the targets can be made is what is looked at."""
        done = subprocess.run([*line.split(), "--dry-run"], cwd=TOP, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stderr
        self.ran.append(line)

    def shell(self, script: str) -> None:
        dump = f'"{sys.executable}" -c "import json, os; print(chr(0) + json.dumps(dict(os.environ)))"'
        done = shell(self.folder, f"{script}\n{dump}", self.env)
        said, _, env = done.stdout.rpartition("\0")
        self.shown += said + done.stderr
        self.env = json.loads(env)
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
        for name in ("client", "ledger"):
            opened = self.names.get(name)
            if opened is not None:
                opened.close()  # type: ignore[attr-defined]  # it is the page's
        for process in self.background:
            process.terminate()
            assert process.wait(600) == 0
