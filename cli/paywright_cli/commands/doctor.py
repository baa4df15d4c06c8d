"""`paywright doctor`: look at an installation, and say what is wrong with it and what to do.

Nothing that is found shows a key, a signature, a password or a body, so that all of it can be pasted. What to do is a command that
runs as it is printed: one that mends what was found, or one that shows it, or the page that says how.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import stat
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from importlib import metadata
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from paywright_cli.common.exit_codes import Exit
from paywright_cli.common.loading import environment, is_database, ledger_of, named
from paywright_cli.common.options import add_format, add_ledger
from paywright_cli.common.parser import Parser
from paywright_cli.common.terminal import Usage, paint, say, say_json
from paywright_cli.common.wording import in_setting_names
from paywright_runtime.client.unverified_parts import clock_skew
from paywright_runtime.errors import (
    ConfigurationError,
    GatewayError,
    InvalidArgument,
    KeyProblem,
    NoAnswer,
    NotSent,
    PaywrightError,
)
from paywright_runtime.version import VERSION

# The rest is imported once the packages that it needs were looked at.
if TYPE_CHECKING:
    from paywright import Client
    from paywright_receiver.ledgers.sql.sql_ledger import Ledger
    from paywright_runtime.settling.stored_document import Owner
    from paywright_sandbox.engine.url_policy import Destination

_EXAMPLES: Final = """\
examples:
  paywright doctor                                              packages, settings, keys, and one call to the gateway
  paywright doctor --env shop/.env --ledger shop.db             also the ledger: damage, what failed, what waits
  paywright doctor --env shop/.env --receiver shop.payments:receiver    the same, and the commands that call its handlers
  paywright doctor --endpoint https://shop.example/paywright    also the endpoint that takes webhooks
  paywright doctor --format json > doctor.json                  for a ticket: it has no key, signature, password or body

It asks the gateway about an order that nobody has placed. The verified answer shows that address, TLS, both keys and the clock are
right. Nothing is written, and no money moves. What to do is a command that runs as it is printed; a password of the ledger is not
in it, but in PGPASSWORD.

exit codes: 0 nothing is wrong, 1 something is, and what to do stands behind it, 2 usage
"""
_COLOURS: Final = {"ok": "green", "note": "yellow", "NO": "red"}
_SIGNS_BESIDE_OTHERS: Final = 47  # the first cryptography that signs without the interpreter's lock
_BOUND: Final = re.compile(r"([A-Za-z0-9_.-]+)[^;]*?>=\s*([0-9.]+)[^;]*").fullmatch


class Observation(NamedTuple):
    """One thing that was looked at: `part`, its state, what was seen, and the command to run."""

    part: str
    state: Literal["ok", "note", "NO"]
    seen: str
    do: str = ""


def fill(parser: Parser) -> None:
    """Add what `doctor` takes."""
    parser.description = (
        "Look at an installation: versions, settings, keys, gateway, clock, ledger and webhook endpoint."
    )
    parser.epilog = _EXAMPLES
    add_ledger(parser)
    parser.takes("--endpoint URL", "the address that takes the gateway's notifications", type=_destination)
    parser.takes("--offline", "call neither the gateway nor the endpoint")
    add_format(parser)
    parser.set_defaults(run=_run)


def _destination(text: str) -> Destination:
    from paywright_sandbox.engine.url_policy import NotAllowed, destination_of, read_destination

    try:
        return read_destination(text, [destination_of(text)])
    except NotAllowed as refused:
        raise argparse.ArgumentTypeError(str(refused)) from None


def _run(args: argparse.Namespace) -> int:
    found = []
    for one in _findings(args):
        found.append(one)
        if args.format == "text":
            seen = one.seen + (f"\ndo: {one.do}" if one.do else "")
            shown = f"{paint(f'{one.state:<4}', _COLOURS[one.state])}  {one.part}: {seen}"
            say(*shown.replace("\n", "\n      ").split("\n"))
    wrong = sum(one.state == "NO" for one in found)
    if args.format == "json":
        say_json([one._asdict() for one in found], indent=1)
    else:
        say(f"things to mend: {wrong}" if wrong else "nothing is wrong")
    return Exit.NO if wrong else Exit.OK


def _findings(args: argparse.Namespace) -> Iterator[Observation]:
    env, owner, called = environment(args.env), None, not args.offline
    yield from packages()
    for one in settings(env):
        if isinstance(one, Observation):
            yield one
        else:
            client, owner = one
            with client:
                yield from gateway(client) if called else ()
    if args.ledger is not None or args.receiver is not None:
        yield from _named_ledger(args, owner)
    file = None if not args.ledger or is_database(args.ledger) else Path(args.ledger)
    yield from files(env, args.env, file)
    if args.endpoint is not None and called:
        yield endpoint(args.endpoint)


def _named_ledger(args: argparse.Namespace, owner: Owner | None) -> Iterator[Observation]:
    try:
        found, receiver = ledger_of(args)
        yield from ledger(found, owner, named(args), handlers=receiver is not None)
    except (PaywrightError, Usage) as problem:
        do = "paywright docs ledger"
        if str(problem).startswith("there is no ledger"):
            made = f"from paywright_receiver import SqliteLedger; SqliteLedger({args.ledger!r}).close()"
            do = f"python -c {quote(made)}"
        yield Observation("ledger", "NO", str(problem), do)


def packages() -> Iterator[Observation]:
    """Look at the versions of Python and of what the SDK needs."""
    yield Observation("versions", "ok", f"paywright {VERSION}, Python {platform.python_version()}, {platform.system()}")
    for bound in filter(None, map(_BOUND, metadata.requires("paywright") or ())):
        name, least = bound[1], bound[2]
        try:
            there = metadata.version(name)
        except metadata.PackageNotFoundError:
            there = ""
        if _numbers(there) < _numbers(least):
            seen = f"{name} {there} is older than {least}" if there else f"{name} is not installed"
            yield Observation("versions", "NO", seen, f"pip install '{name}>={least}'")
        elif name == "cryptography" and _numbers(there) < (_SIGNS_BESIDE_OTHERS,):
            seen = f"{name} {there}: while one thread signs, all others wait, and so does an event loop"
            yield Observation("versions", "note", seen, f"pip install '{name}>={_SIGNS_BESIDE_OTHERS}'")
        else:
            yield Observation("versions", "ok", f"{name} {there}")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"[0-9]+", version)[:3])


def settings(env: Mapping[str, str]) -> Iterator[Observation | tuple[Client, Owner]]:
    """Build the client of the settings, and yield it last, with whose it is; it is not yielded if it cannot be built."""
    from paywright import Client, Merchant
    from paywright_runtime.client.settings import merchant_from
    from paywright_runtime.settling.stored_document import Owner, address_of

    try:
        merchant, address = merchant_from(Merchant, env)
        client = Client.from_env(env)
    except (ConfigurationError, InvalidArgument) as error:
        yield Observation("settings", "NO", in_setting_names(_of_file(error, env)), "paywright docs settings")
        return
    yield Observation("settings", "ok", f"{merchant.app_id} at {address}")
    if proxy := env.get("PAYWRIGHT_PROXY", "").strip().rpartition("@")[2]:
        yield Observation("settings", "ok", f"calls go through the proxy {proxy}")
    keys = f"{merchant.signer!r}, {merchant.verifier!r}: the dashboard should show the same fingerprints"
    yield Observation("keys", "ok", keys)
    yield client, Owner(merchant.numbers(), address_of(address))


def _of_file(error: PaywrightError, env: Mapping[str, str]) -> str:
    """Return the message of an error about settings; that of a key with the name of its file, and the form that it has."""
    from paywright import Merchant
    from paywright_cli.commands.key_reading import private_key, public_key, read_key
    from paywright_runtime.client.settings import Environment

    if isinstance(error, KeyProblem):
        names = Environment(Merchant, env)
        private = [(private_key, one) for one in names.key_sources("private_key", "private_key_file")]
        public = [(public_key, one) for one in names.key_sources("gateway_keys", "gateway_key_files")]
        for load, source in (*private, *public):
            try:
                if isinstance(source, Path) and os.path.isfile(source):  # any other name may be the text of a key
                    load(read_key(str(source)))
            except KeyProblem as problem:
                return f"{source}: {problem}"
    return str(error)


def files(env: Mapping[str, str], *secret: Path | None) -> Iterator[Observation]:
    """Look at who else can read `secret` files and the private key, or change those, what is trusted, and the folders of all."""
    from paywright import Merchant
    from paywright_runtime.client.settings import Environment

    try:
        names = Environment(Merchant, env)
    except ConfigurationError:
        return
    if os.name != "posix":
        return
    trusted = [*names.key_sources("gateway_keys", "gateway_key_files"), Path(names.text("ca_file") or os.devnull)]
    secrets = [*names.key_sources("private_key", "private_key_file"), *secret]
    others = {one.absolute(): 0o022 for one in trusted if isinstance(one, Path) and os.path.isfile(one)}
    others |= {one.absolute(): 0o077 for one in secrets if isinstance(one, Path) and os.path.isfile(one)}
    folders = {folder for one in others for way in (one, one.resolve()) for folder in way.parents}
    for path, bits in (*others.items(), *((folder, 0o022) for folder in sorted(folders))):
        mode, fixed = path.stat().st_mode, os.statvfs(path).f_flag & os.ST_RDONLY
        found = mode & bits & (0o055 if fixed else 0o077)
        if not found or (stat.S_ISDIR(mode) and mode & stat.S_ISVTX):  # a folder where each has his own
            continue
        who = "other users" if found & 0o007 else "the users of its group"
        do = "paywright docs go-live" if fixed else f"chmod {'go-w' if bits == 0o022 else 'go='} {quote(str(path))}"
        seen = f"{who} may {'change' if found & 0o022 else 'read'} {path}"
        yield Observation("files", "note" if found == 0o040 else "NO", seen, do)


def gateway(client: Client) -> Iterator[Observation]:
    """Ask about an order that nobody has placed: the verified answer shows that address, TLS, both keys and clocks are right."""
    from paywright.contract import CONTRACT

    following = CONTRACT.following("orders")  # every merchant may ask about one
    absent = CONTRACT.operation(following.operation).not_found_codes
    answer, began = None, datetime.now(UTC)
    try:
        answer = client.call_by_name(following.operation, {following.by: "PAYWRIGHT_DOCTOR"}).answer
    except PaywrightError as error:
        if not isinstance(error, GatewayError) or error.code not in absent:
            yield Observation("gateway", "NO", str(error), f"paywright docs {_page(error)}")
            return
        answer = error.answer
    now = datetime.now(UTC)
    took = f"{(now - began).total_seconds():.2f} s"
    yield Observation("gateway", "ok", f"it answers, verified: address and both keys are right ({took})")
    ahead = clock_skew(() if answer is None else answer.headers, began + (now - began) / 2)
    most = CONTRACT.limits()["request-skew"].seconds or 0
    if ahead is None:
        yield Observation("clock", "note", "the gateway shows no Date, or none that can be read", "date -u")
    else:
        wrong = abs(ahead) > most / 4
        seen = f"the gateway's clock is {abs(ahead):.0f} s {'ahead' if ahead > 0 else 'behind'}; {most} s are allowed"
        yield Observation("clock", "NO" if wrong else "ok", seen, "paywright docs go-live" if wrong else "")


def _page(error: PaywrightError) -> str:
    """Return the page that helps with a call that failed. Codes of many gateways for a bad signature have SIGN in their names."""
    if isinstance(error, GatewayError):
        return "signatures" if "SIGN" in error.code.upper() else "codes"
    address = isinstance(error, NoAnswer) and error.reason in ("http_status", "redirect")
    return "settings" if address or isinstance(error, NotSent) else "signatures"


def ledger(found: Ledger, owner: Owner | None, named: str, *, handlers: bool) -> Iterator[Observation]:
    """Look at a ledger: whether it is whole, what failed, what waits, and what waits at another address than the `owner`'s.

    `named` are the options that name it to a command; with `handlers` they name a receiver.
    """
    ago = timedelta(minutes=10)
    found.check_whole()
    yield Observation("ledger", "ok", "it is whole, and of this version")
    for status, number in found.counts(older_than=ago).items():
        if number and status in ("failed", "unhandled", "unreadable", "conflict"):
            do = f"replay --all {status}" if handlers and status != "conflict" else f"list --status {status}"
            do = f"paywright notifications {do} {named}"
            yield Observation("ledger", "NO", f"{status} notifications: {number}", do)
    mine = ("", "") if owner is None else (next(iter(owner.merchant.values())), owner.address)
    opened = [one for one in found.book.open_items() if owner is None or mine == (one.id.app_id, one.address)]
    late = sum(one.due_at is not None and one.due_at < datetime.now(UTC) - ago for one in opened)
    asking = sum(one.step in ("decide", "place_again") for one in opened)
    yield Observation("items", "ok", f"open items: {len(opened)}")
    if late:
        do = f"paywright follow {'run' if handlers else 'report'} {named}"
        more = "" if handlers else "; with --receiver, this command says how to ask"
        yield Observation("items", "NO", f"due ten minutes ago, and nobody asked: {late}{more}", do)
    if asking:
        yield Observation("items", "NO", f"waiting for a person: {asking}", f"paywright follow list {named}")
    for one in () if owner is None else found.book.elsewhere(*mine):
        seen = f"{one.app_id} at {one.address}: {one.items} waiting, and not asked about with these settings"
        own = one.app_id == mine[0]  # if that was this gateway, they are moved
        do = f"move {named}" if own else f"list {named} --app-id {quote(one.app_id)}"
        yield Observation("items", "NO" if own else "note", seen, f"paywright follow {do}")


def endpoint(to: Destination, seconds: float = 10.0) -> Observation:
    """Send a webhook without a signature to an endpoint: it is there if a receiver refuses it."""
    from paywright_cli.check_receiver.endpoint import JSON, Response
    from paywright_sandbox.delivery.http_client import request

    answer = Response(request(to, "POST", [("Content-Type", JSON)], b"{}", seconds=seconds), seconds)
    if (answer.status, answer.code) == (401, "UNSIGNED"):
        return Observation("endpoint", "ok", "a receiver is there, and refuses a webhook without a signature")
    seen = f"a webhook without a signature got: {answer.words}; a receiver answers 401, code UNSIGNED"
    return Observation("endpoint", "NO", seen, "paywright docs check-receiver")
