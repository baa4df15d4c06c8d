"""Read settings from environment variables such as `PAYWRIGHT_BASE_URL`, each as one type.

A setting with a misspelled name or value is refused, not ignored. Messages name the setting and its type, never its
value, which may be a misplaced key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from os import environ
from pathlib import Path
from types import NoneType
from typing import ClassVar, Final, NamedTuple, Protocol

from paywright_runtime.argument_types import is_number, is_whole
from paywright_runtime.errors import ConfigurationError
from paywright_runtime.redaction import redacted

# Kubernetes sets these in every container if a service is named like the package.
_OF_KUBERNETES: Final = re.compile(
    r"(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)"
).fullmatch

_FLAGS: Final = {**dict.fromkeys(("1", "yes", "true", "on"), True), **dict.fromkeys(("0", "no", "false", "off"), False)}
_VALIDATIONS: Final = ("refuse", "report", "off")
_NUMBER: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?").fullmatch
_OPERATION: Final = re.compile(r"[a-z0-9_]{1,64}\.[a-z0-9_]{1,64}").fullmatch


def prefix_of(package: str) -> str:
    """Return the prefix of a package's environment variables: `PAYWRIGHT_`."""
    return f"{package.replace('.', '_').upper()}_"


class MerchantClass(Protocol):
    """A generated class of merchants, with its package and the names of its own settings."""

    PACKAGE: ClassVar[str]
    SETTINGS: ClassVar[tuple[str, ...]]


class Environment:
    """Reads the settings of a package from the environment, or from `names`. Blank values count as absent.

    Every method takes the name of a setting, and raises `ConfigurationError` for a value that it cannot read. The constructor
    raises it for unknown names with the package's prefix.
    """

    __slots__ = ("_known", "_names")

    def __init__(self, merchant: type[MerchantClass], names: Mapping[str, str] | None = None) -> None:
        self._names = environ if names is None else names
        prefix = prefix_of(merchant.PACKAGE)
        self._known = {name: prefix + name.upper() for name in (*COMMON, *merchant.SETTINGS)}
        known = {*self._known.values()}
        given = (name for name, value in self._names.items() if name.startswith(prefix) and value.strip())
        unknown = sorted(name for name in given if name not in known and not _OF_KUBERNETES(name[len(prefix) :]))
        if unknown:
            raise _unknown(unknown, prefix, known)

    def name_of(self, name: str) -> str:
        """Return the name of a setting in the environment."""
        return self._known[name]

    def text(self, name: str) -> str | None:
        """Return the value without surrounding blanks, or None. A number of the merchant has no quotes, and shows itself."""
        text = self._names.get(self._known[name], "").strip() or None
        if text is not None and name not in COMMON and (not text.isprintable() or text[0] == text[-1] in ("'", '"')):
            why = "is in quotes, which docker's --env-file keeps, or has a character that does not show itself"
            raise _refused(self._known[name], why)
        return text

    def word(self, name: str, words: tuple[str, ...], default: str) -> str:
        """Return one of `words`, which must match exactly."""
        text = self.text(name)
        if text is not None and text not in words:
            raise _refused(self._known[name], f"is none of {', '.join(words)}")
        return default if text is None else text

    def flag(self, name: str) -> bool:
        """Return whether a setting is on; False if it is absent."""
        text = self.text(name)
        if text is not None and text.lower() not in _FLAGS:
            raise _refused(self._known[name], f"is none of {', '.join(_FLAGS)}")
        return text is not None and _FLAGS[text.lower()]

    def number(self, name: str) -> float:
        """Return a number in plain digits, possibly with a decimal point; an int without one."""
        text = self.text(name) or ""
        if _NUMBER(text) is None:
            raise _refused(self._known[name], "is not a number such as 30 or 2.5")
        return int(text) if text.isdigit() else float(text)

    def addresses(self, name: str) -> dict[str, str]:
        """Return `operation=/path` pairs separated by commas, each operation once."""
        found: dict[str, str] = {}
        for part in self._parts(name):
            operation, _, address = (piece.strip() for piece in part.partition("="))
            if _OPERATION(operation) is None or not address or operation in found:
                raise _refused(
                    self._known[name],
                    "has a part that is not like cases.inquire=/address, or names an operation twice",
                )
            found[operation] = address
        return found

    def key_sources(self, texts: str, files: str) -> list[Path | str]:
        """Return keys from two names: texts separated by commas, and paths of files separated by commas."""
        return [*self._parts(texts), *map(Path, self._parts(files))]

    def _parts(self, name: str) -> list[str]:
        return [part for part in map(str.strip, (self.text(name) or "").split(",")) if part]


class Setting(NamedTuple):
    """A setting of a client: how it is read from the environment, and the values that it may have, with words for them."""

    read: Callable[[Environment, str], object]
    fits: Callable[[object], bool]
    what: str


def _from(least: int) -> Callable[[object], bool]:
    return lambda value: is_whole(value) and value >= least


CLIENT: Final[Mapping[str, Setting]] = {
    "timeout": Setting(Environment.number, lambda value: is_number(value) and value > 0, "a number of seconds, an int or a float above 0"),
    "validation": Setting(lambda names, name: names.word(name, _VALIDATIONS, ""), lambda value: value in _VALIDATIONS, "'refuse', 'report' or 'off'"),
    "unsigned_answers": Setting(Environment.flag, lambda value: isinstance(value, bool), "True or False"),
    "strict_answers": Setting(Environment.flag, lambda value: isinstance(value, bool), "True or False"),
    "retries": Setting(Environment.number, _from(0), "how often a call is tried again, a whole number, 0 or more"),
    "pool_size": Setting(Environment.number, _from(1), "how many connections are in use at once, a whole number, 1 or more"),
    "signing_threads": Setting(Environment.number, _from(0), "a whole number of threads, 0 or more"),
    "ca_file": Setting(Environment.text, lambda value: isinstance(value, (Path, str, NoneType)), "a Path or the text of one"),
    "proxy": Setting(Environment.text, lambda value: isinstance(value, (str, NoneType)), "the text of a URL"),
    "paths": Setting(Environment.addresses, lambda value: isinstance(value, Mapping), 'a mapping of operations to addresses: {"cases.inquire": "/..."}'),
}  # fmt: skip
"""The settings of a client, but for its address and its merchant. `ClientCore` has their types, defaults and descriptions."""

# All settings except those of the contract's merchant. Clients, receivers and commands share one environment, so each of them
# accepts the settings of the others.
COMMON: Final = (
    "base_url", "private_key", "private_key_file", "gateway_keys", "gateway_key_files", *CLIENT,
    "sign_answers", "log_tracebacks", "debug",
)  # fmt: skip


def _unknown(names: list[str], prefix: str, known: Iterable[str]) -> ConfigurationError:
    from difflib import get_close_matches

    said = []
    for name in names:
        near = get_close_matches(name.upper(), known, 1, 0.8)
        said.append(f"{redacted(name, 64)} is no setting{f' (did you mean {near[0]}?)' if near else ''}")
    return ConfigurationError(
        f"Nothing was sent: {', '.join(said)}. Correct the name. Do not begin the names of other variables with {prefix}."
    )


def _refused(name: str, why: str) -> ConfigurationError:
    return ConfigurationError(f"Nothing was sent: {name} {why}. Correct it or leave it out.")
