"""For the whole suite: no secret is in any log record, warning, or error that leaves the library, tracebacks with locals included.

What raises is looked at where it leaves: at the resources, the resolvers, and where keys and settings are read.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import logging
import pkgutil
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from paywright import Merchant, PaywrightError
from paywright_runtime.client import client, resolver
from paywright_runtime.signing import keys
from tests.outcomes.canaries import Watch

__all__ = ["WATCH"]

WATCH: Final = Watch()


class _Listener(logging.Handler):
    """Sees every record of every logger, as it would be written."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.startswith(("paywright", "urllib3", "anyio", "asyncio", "py.warnings")):
            WATCH.look(f"log of {record.name}", self.format(record))


def pytest_configure(config: pytest.Config) -> None:
    logging.getLogger().addHandler(_Listener(level=1))
    logging.getLogger("paywright").setLevel(logging.DEBUG)
    logging.getLogger("urllib3").setLevel(logging.DEBUG)
    _watch_all()


def pytest_warning_recorded(warning_message: warnings.WarningMessage) -> None:
    WATCH.look("warning", str(warning_message.message))


@pytest.fixture(autouse=True)
def no_secret_is_seen() -> Iterator[None]:
    """Fails a test in which one was."""
    yield
    leaks = WATCH.taken()
    assert not leaks, "secrets were seen:\n" + "\n".join(sorted(set(leaks)))


def _watch_all() -> None:
    for package in ("paywright.resources", "paywright.aio.resources"):
        for module in _modules(package):
            for _, kind in inspect.getmembers(module, inspect.isclass):
                if kind.__module__ == module.__name__:
                    _watch(kind, *(name for name in vars(kind) if not name.startswith("_")))
    _watch(client.SyncClient, "call", "resolve", "call_by_name", "resolve_by_name", "resume")
    _watch(client.ClientCore, "__init__", "from_env")
    _watch(Merchant, "__init__")
    _watch(resolver.Resolver, "step", "permission")
    for name in ("load_private_key", "load_public_key"):
        setattr(keys, name, _watched(getattr(keys, name)))


def _modules(package: str) -> Iterator[Any]:
    try:
        parent = importlib.import_module(package)
    except ImportError:
        return  # without the extra for awaited calls
    for found in pkgutil.iter_modules(parent.__path__, f"{package}."):
        yield importlib.import_module(found.name)


def _watch(kind: type, *names: str) -> None:
    for name in names:
        member = inspect.getattr_static(kind, name)
        if isinstance(member, classmethod):
            setattr(kind, name, classmethod(_watched(member.__func__)))
        elif inspect.isfunction(member):
            setattr(kind, name, _watched(member))


def _watched(function: Callable[..., Any]) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def awaited(*values: Any, **named: Any) -> Any:
            try:
                return await function(*values, **named)
            except PaywrightError as error:
                WATCH.examine(error)
                raise

        return awaited

    @functools.wraps(function)
    def called(*values: Any, **named: Any) -> Any:
        try:
            return function(*values, **named)
        except PaywrightError as error:
            WATCH.examine(error)
            raise

    return called
