"""Load receivers and ledgers from arguments: `module:receiver`, a file, or a database's URL; and the environment of a command."""

from __future__ import annotations

import argparse
import os
import re
import sys
from importlib import import_module
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final

from paywright_cli.common.terminal import Usage, read_input
from paywright_runtime.errors import ConfigurationError
from paywright_sandbox.env_file import MOST, env_values

if TYPE_CHECKING:
    from paywright_receiver.ledgers.sql.sql_ledger import Ledger
    from paywright_receiver.webhooks.receiver import BaseReceiver


def environment(file: Path | None) -> dict[str, str]:
    """Return the environment of this process, overridden by the names in `file`. Raises `Usage`, which never shows a value."""
    if file is None:
        return dict(os.environ)
    try:
        return {**os.environ, **env_values(read_input(str(file), MOST), str(file))}
    except ConfigurationError as error:
        raise Usage(str(error)) from None


# What libpq takes: a URL, or NAME=VALUE words such as `host=db password=...`.
_POSTGRES: Final = re.compile(
    r"postgres(?:ql)?://|\s*(?:host|hostaddr|port|dbname|user|password|passfile|service|sslmode)\s*="
)
_MARIADB: Final = re.compile(r"(?:mariadb|mysql)(?:\+pymysql)?://")
# What looks like an address may have a password in it, however it is misspelled. C:\shop.db is no address.
_ADDRESS: Final = re.compile(r"[^/\\]{2,}:|.*[@=]", re.DOTALL)


def ledger_of(args: argparse.Namespace) -> tuple[Ledger, BaseReceiver | None]:
    """Return the ledger of `--ledger` (with `--schema`), or the receiver of `--receiver` and its ledger. No ledger is created.

    Raises `Usage`, or `LedgerProblem` if it cannot be used.
    """
    if (args.receiver is None) == (args.ledger is None):
        raise Usage("name either --ledger FILE or --receiver MODULE:RECEIVER")
    if args.receiver is None:
        return open_ledger(args.ledger, new=False, schema=args.schema), None
    if args.env is not None:
        os.environ.update(environment(args.env))  # for the module that is imported, and what it does later
    if args.schema is not None:
        raise Usage("--schema goes with --ledger: a receiver has a ledger of its own")
    receiver = load_receiver(args.receiver)
    return receiver.ledger, receiver


def named(args: argparse.Namespace) -> str:
    """Return the options that name the ledger to other commands. They find a password of it in PGPASSWORD."""
    ledger = args.ledger
    if ledger is not None and is_database(ledger):
        value = "[^&]*&?" if "://" in ledger else r"(?:'(?:\\.|[^'\\])*'|(?:\\.|[^\s\\])*)\s*"
        ledger = re.sub(r"(?<=://)([^:@/?#]*):[^@/?#]*(?=@)", r"\1", ledger)
        ledger = re.sub(rf"\b(?:ssl)?password\s*=\s*{value}", "", ledger)
    given = {"--receiver": args.receiver, "--ledger": ledger, "--schema": args.schema, "--env": args.env}
    return " ".join(f"{name} {quote(str(value))}" for name, value in given.items() if value is not None)


def load_receiver(text: str) -> BaseReceiver:
    """Return the receiver named by `module:name`. Modules of the current folder are found. Raises `Usage`."""
    from paywright_receiver.webhooks.receiver import BaseReceiver

    module, _, names = text.partition(":")
    if not module or not names:
        raise Usage("--receiver is MODULE:RECEIVER, such as shop.notifications:receiver")
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    found: object = _imported(module)
    for name in names.split("."):
        if not hasattr(found, name):
            raise Usage(f"--receiver {text}: {module} has no {names}")
        found = getattr(found, name)
    if not isinstance(found, BaseReceiver):
        raise Usage(f"--receiver {text}: it is a {type(found).__name__}, not a paywright.Receiver")
    return found


def _imported(module: str) -> object:
    from paywright_runtime.errors import PaywrightError

    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        missing = error.name or module
        hint = "; modules are looked for in this folder and in PYTHONPATH" if module.startswith(missing) else ""
        raise Usage(f"--receiver: there is no module {missing}{hint}") from None
    except PaywrightError as error:
        raise Usage(f"--receiver: {module} cannot be imported: {error}") from None
    except (Exception, SystemExit) as error:
        # Its message may contain anything that the module reads, keys included.
        raise Usage(f"--receiver: {module} cannot be imported: {type(error).__name__} at {_place(error)}") from None


def _place(error: BaseException) -> str:
    if isinstance(error, SyntaxError) and error.filename:
        return f"{Path(error.filename).name}:{error.lineno}"
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    return f"{Path(step.tb_frame.f_code.co_filename).name}:{step.tb_lineno}" if step is not None else "its beginning"


def is_database(text: str) -> bool:
    """Return whether the value of `--ledger` is a database, and not a file."""
    return any(one.match(text) for one in (_POSTGRES, _MARIADB)) and not _is_file(text)


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False


def open_ledger(text: str, *, new: bool, schema: str | None = None) -> Ledger:
    """Open the ledger in a file, in a schema of a postgresql:// database, or in a mariadb:// database. With `new` a missing file is created.

    Raises `Usage`, or `LedgerProblem` if it cannot be used. Neither shows an address, which may contain a password.
    """
    if is_database(text):
        return _in_server(text, schema)
    if _ADDRESS.match(text) and not _is_file(text):
        raise Usage(
            "--ledger is a file, whose name has no @ = or :, or a URL that begins with postgresql:// or mariadb://, or words such as host=... "
            "dbname=..."
        )
    if schema is not None:
        raise Usage("--schema needs a postgresql:// ledger: a file has no schema")
    from paywright_receiver import SqliteLedger

    if not text:
        raise Usage("--ledger '' is no file: name the ledger's")
    if Path(text).is_dir():
        raise Usage(f"--ledger {text} is a folder: name the ledger's file in it")
    if not new and not _is_file(text):
        raise Usage(f"there is no ledger {text}; a receiver creates it: SqliteLedger({text!r})")
    return SqliteLedger(text, create=new)


def _in_server(text: str, schema: str | None) -> Ledger:
    import paywright_receiver

    name, extra = ("PostgresLedger", "postgres") if _POSTGRES.match(text) else ("MariaDbLedger", "mariadb")
    if schema is not None and extra == "mariadb":
        raise Usage("--schema needs a postgresql:// ledger: the address of MariaDB has the database in it")
    try:
        ledger: Ledger = getattr(paywright_receiver, name)(text, **({} if schema is None else {"schema": schema}))
    except ModuleNotFoundError as error:
        raise Usage(f"this ledger needs {error.name}: pip install 'paywright[{extra}]'") from None
    return ledger
