"""What the endpoint did about a notification: looked up at an address of its own, or asked of the person at the terminal."""

from __future__ import annotations

import shlex
import socket
import subprocess
import sys
from time import monotonic, sleep
from typing import Final, NamedTuple
from urllib.parse import quote

from paywright_runtime import strict_json
from paywright_tools.one_request import request
from paywright_tools.sandbox.destination import Destination, NotAllowed, NotFound, read_destination, resolved
from paywright_tools.sandbox.posting import Answered

__all__ = ["KEY", "AskedEffects", "Effects", "EffectsProblem", "Look", "ServedEffects"]

KEY: Final = "{key}"
_BACK_WITHIN: Final = 30.0
_REST: Final = 0.25
_LOOKS: Final = 20


class EffectsProblem(Exception):
    """The effects cannot be looked at, or the endpoint cannot be restarted."""


class Look(NamedTuple):
    """How many effects there are, and the state that is kept; None where that is not known."""

    effects: int | None
    state: str | None = None


class Effects:
    """Nothing is known of them. `restart` is a command that restarts the endpoint."""

    seen = False
    costly = False
    """Whether a look takes a person's time: then only those checks look that turn on it."""

    def __init__(self, to: Destination, restart: str | None = None) -> None:
        self._to = to
        self._restart = restart

    @property
    def restarts(self) -> bool:
        return self._restart is not None

    def look(self, key: str) -> Look:
        """What there is about a number. Raises `EffectsProblem`."""
        return Look(None)

    def settled(self, key: str) -> Look:
        """What there is once it has come to rest: an effect may come after the answer. Raises `EffectsProblem`."""
        return self.look(key)

    def restart(self) -> None:
        """Ends the endpoint and starts it again. Raises `EffectsProblem`."""
        assert self._restart is not None  # `restarts` says so
        try:
            done = subprocess.run(
                shlex.split(self._restart), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=_BACK_WITHIN
            )
        except (OSError, ValueError, subprocess.TimeoutExpired):
            raise EffectsProblem("the command of --restart did not run to its end") from None
        if done.returncode:
            raise EffectsProblem(f"the command of --restart ended with exit code {done.returncode}")
        self._wait()

    def _wait(self) -> None:
        until = monotonic() + _BACK_WITHIN
        while monotonic() < until:
            try:
                socket.create_connection((resolved(self._to), self._to.port), timeout=1).close()
                return
            except (OSError, NotAllowed, NotFound):
                sleep(0.1)
        raise EffectsProblem("the endpoint did not come back after its restart")


class ServedEffects(Effects):
    """A GET to an address in which `{key}` stands for the number answers a count, or `{"effects": 1, "state": "SETTLED"}`."""

    seen = True

    def __init__(self, to: Destination, url: str, allowed: tuple[str, ...] = (), restart: str | None = None) -> None:
        super().__init__(to, restart)
        self._url = url
        self._allowed = allowed

    def look(self, key: str) -> Look:
        where = read_destination(self._url.replace(KEY, quote(key, safe="")), self._allowed)
        answer = request(where, "GET", [("Accept", "application/json")], b"", seconds=5.0)
        if not isinstance(answer, Answered) or answer.status != 200:
            raise EffectsProblem("the address of --effects does not answer with HTTP 200")
        try:
            found = strict_json.parse(answer.body)
        except strict_json.JsonProblem:
            found = None
        if isinstance(found, dict):
            state = found.get("state")
            return Look(_count(found.get("effects")), state if isinstance(state, str) else None)
        return Look(_count(found))

    def settled(self, key: str) -> Look:
        found = self.look(key)
        for _ in range(_LOOKS):
            sleep(_REST)
            again = self.look(key)
            if again == found:
                break
            found = again
        return found


class AskedEffects(Effects):
    """The person at the terminal looks."""

    seen = True
    costly = True

    @property
    def restarts(self) -> bool:
        return True

    def look(self, key: str) -> Look:
        words = self._asked(f"How many effects of {key} are there? A number, and the state that you keep if you like: ")
        count, _, state = words.partition(" ")
        return Look(int(count) if count.isascii() and count.isdigit() else None, state.strip() or None)

    def restart(self) -> None:
        if self._restart is not None:
            super().restart()
            return
        self._asked("Restart your endpoint now, then press Enter: ")
        self._wait()

    def _asked(self, words: str) -> str:
        print(words, end="", file=sys.stderr, flush=True)
        return sys.stdin.readline().strip()


def _count(value: object) -> int:
    if type(value) is not int or value < 0:
        raise EffectsProblem('--effects answers neither a count nor {"effects": 1, "state": "SETTLED"}')
    return value
