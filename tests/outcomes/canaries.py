"""What must never be seen, and who looks for it: planted words, and everything that has the shape of a secret."""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator
from traceback import walk_tb
from typing import Final

from paywright import PaywrightError

__all__ = ["CVV", "PAN", "SESSION_KEY", "TOKEN", "Watch", "locals_of", "secrets_in"]

# Planted wherever the tests of the client can carry them.
SESSION_KEY: Final = "CANARY-session-key"
TOKEN: Final = "CANARY-payment-token"
CVV: Final = "CANARY-cvv-737"
PAN: Final = "4929123456789019"

_PLANTED: Final = re.compile(rf"CANARY-[a-z]+|{PAN}|4929[ -]1234[ -]5678[ -]9019")
# Signatures and keys are new in every test: they are known by their shape. 60 signs are 45 bytes, part of a key's line.
_MATERIAL: Final = re.compile(r"[A-Za-z0-9+/]{60,}")
_VARIED: Final = 24  # of 64; fewer different signs are a long key, a path, or filling
_CARD: Final = re.compile(r"(?<![0-9A-Za-z.])[3-6][0-9]{15}(?![0-9A-Za-z])")


def secrets_in(text: str) -> list[str]:
    """What there is of secrets in a text, named and not shown."""
    found = [f"planted {match[0][:10]}..." for match in _PLANTED.finditer(text)]
    for match in _MATERIAL.finditer(text):
        if len(set(match[0])) >= _VARIED and not match[0].islower():
            found.append(f"key or signature of {len(match[0])} signs")
    found += ["a card number" for match in _CARD.finditer(text) if _luhn(match[0])]
    return found


def _luhn(digits: str) -> bool:
    doubled = [int(digit) * (1 + position % 2) for position, digit in enumerate(reversed(digits))]
    return sum(number - 9 if number > 9 else number for number in doubled) % 10 == 0


class Watch:
    """Collects leaks. `look` at a text of the library's making, `examine` an error that leaves it."""

    def __init__(self, most: int = 60) -> None:
        self.leaks: list[str] = []
        self.examined = 0
        self._left = self._most = most

    def look(self, where: str, text: str) -> None:
        for secret in secrets_in(text):
            self.leaks.append(f"{where}: {secret}")

    def examine(self, error: PaywrightError) -> None:
        """Everything that an error shows; the tracebacks of the first `most` of a test, for they take long."""
        name = type(error).__name__
        self.look(f"str({name})", str(error))
        self.look(f"repr({name})", repr(error))
        if self._left <= 0:
            return
        self._left -= 1
        self.examined += 1
        self.look(f"pickle({name})", pickle.dumps(error).decode("latin-1"))
        for line in locals_of(error):
            self.look(f"traceback({name}) {line[:60]}", line)

    def taken(self) -> list[str]:
        """The leaks since the last time."""
        leaks, self.leaks, self._left = self.leaks, [], self._most
        return leaks


def locals_of(error: BaseException) -> Iterator[str]:
    """A line for each local of each frame of the library's own that a printed traceback goes through.

    As `TracebackException(capture_locals=True)` has them, which of Python 3.11 fails on objects that are half made.
    """
    for frame, _ in walk_tb(error.__traceback__):
        file = frame.f_code.co_filename
        if "/paywright" in file and "/tests/" not in file:
            for name, value in frame.f_locals.items():
                yield f"{frame.f_code.co_qualname}: {name} = {_shown(value)}"
    behind = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if behind is not None:
        yield str(behind)
        yield from locals_of(behind)


def _shown(value: object) -> str:
    try:
        return repr(value)
    except Exception as failure:
        return f"<{type(failure).__name__}>"
