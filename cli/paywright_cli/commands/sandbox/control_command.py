"""Control a running sandbox: each command is a verb for routes of the control API, whose fields are given as NAME=VALUE.

A command prints the sandbox's answer, or its own reason for refusing.
"""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from paywright_cli.commands.sandbox.verbs import COMMANDS, EXAMPLES, Verb
from paywright_cli.common.exit_codes import Exit
from paywright_cli.common.options import show_help
from paywright_cli.common.terminal import complain, say, say_json
from paywright_runtime.private_files import replace_file

if TYPE_CHECKING:
    from paywright_sandbox.control.client import ControlClient
    from paywright_sandbox.engine.routes import Route

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

_AS_WRITTEN: Final = argparse.RawDescriptionHelpFormatter


def register(commands: Subparsers) -> Mapping[str, Subparsers]:
    """Add the commands to `paywright sandbox`. Return where further actions are added, by command."""
    found: dict[str, Subparsers] = {}
    for name, (words, verbs) in COMMANDS.items():
        whole = commands.add_parser(name, help=words, epilog=EXAMPLES.get(name, ""), formatter_class=_AS_WRITTEN)
        whole.description = f"{words[0].upper()}{words[1:]}."
        if name == "trigger":
            whole.epilog = _table("what", {what: verb.words for what, verb in verbs.items()}) + f"\n{EXAMPLES[name]}"
            whole.add_argument("what", metavar="WHAT", choices=tuple(verbs), help="see below")
        if name == "trigger" or set(verbs) == {""}:
            _register(whole, name, verbs)
            continue
        whole.set_defaults(run=guarded(_doing(name, verbs)) if "" in verbs else show_help(whole), what="")
        add_where(whole)
        found[name] = whole.add_subparsers(metavar="ACTION", title="actions")
        for action, verb in verbs.items():
            if action:
                made = found[name].add_parser(action, help=verb.words, formatter_class=_AS_WRITTEN)
                made.description = f"{verb.words[0].upper()}{verb.words[1:]}."
                _register(made, f"{name} {action}", {"": verb})
    waiting = commands.add_parser("wait", help="wait until a sandbox answers, for scripts that have just started one")
    waiting.description = (
        "Wait until the sandbox of a folder or a URL answers. Exit code 0 as soon as it does, 2 if not."
    )
    waiting.add_argument(
        "--seconds", metavar="N", type=_whole_seconds, default=30, help="how long at most, 1 to 600 (default 30)"
    )
    waiting.set_defaults(run=guarded(_wait))
    add_where(waiting)
    policies = commands.add_parser("policies", help="list every named policy, its default, its value and its question")
    policies.add_argument("--dir", metavar="DIR", type=Path, default=argparse.SUPPRESS, help="the sandbox's folder")
    policies.add_argument("--json", action="store_true", help="as JSON")
    policies.set_defaults(run=guarded(_policies))
    return found


def _register(parser: argparse.ArgumentParser, name: str, verbs: Mapping[str, Verb]) -> None:
    parser.add_argument("given", metavar="NUMBER or NAME=VALUE", nargs="*", help="numbers, and fields of the route")
    parser.add_argument("--json", action="store_true", help="print the sandbox's answer as JSON")
    if name == "snapshot save":
        parser.add_argument("--output", metavar="FILE", type=Path, help="write it to a file, not under a name")
    if name == "snapshot restore":
        parser.add_argument("--input", metavar="FILE", type=Path, help="a file that `save --output` wrote")
    if name == "fault add":
        from paywright_sandbox.faults.vocabulary import FIELDS, KINDS, NOTIFICATION_KINDS

        parser.epilog = _table("kinds", {**KINDS, **NOTIFICATION_KINDS}) + "\n" + _table("fields", FIELDS)
    add_where(parser)
    parser.set_defaults(run=guarded(_doing(name, verbs)))


def _table(title: str, rows: Mapping[str, str]) -> str:
    width = max(map(len, rows))
    return f"{title}:\n" + "".join(f"  {name:<{width}}  {words}\n" for name, words in rows.items())


def _doing(name: str, verbs: Mapping[str, Verb]) -> Callable[[argparse.Namespace], None]:
    def do(args: argparse.Namespace) -> None:
        what = args.what if name == "trigger" else ""
        _do(args, f"{name} {what}".rstrip(), verbs[what])

    return do


def _do(args: argparse.Namespace, name: str, verb: Verb) -> None:
    from paywright_runtime.errors import ConfigurationError

    file = getattr(args, "output", None) or getattr(args, "input", None)
    if file is None:
        say_answer(args, ask(args, name, verb, getattr(args, "given", [])))
    elif [word for word in args.given if word != "replace=true"]:
        raise ConfigurationError("Give a NAME of the sandbox's own, or a FILE; not both.")
    elif name == "snapshot restore":
        say_answer(args, remote_of(args).put("snapshot", _read(file)))
    elif file.exists() and not args.given:
        raise ConfigurationError(f"{file} exists already: replace=true replaces it. Nothing was written.")
    else:
        raw = remote_of(args).fetch("snapshot")
        try:
            replace_file(file, raw)
        except OSError as error:
            raise ConfigurationError(f"{file} cannot be written: {error.strerror or error}.") from None
        say(f"wrote {file}: {len(raw)} bytes")


def _read(file: Path) -> bytes:
    from paywright_runtime.errors import ConfigurationError

    try:
        return file.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be read: {error.strerror or error}.") from None


def ask(
    args: argparse.Namespace, name: str, verb: Verb, given: Sequence[str], more: Mapping[str, object] | None = None
) -> dict[str, object]:
    """Call the route of a verb with the words that were given, and `more` fields. Raises `ConfigurationError`."""
    from paywright_runtime.errors import ConfigurationError
    from paywright_sandbox.control.api import ROUTES

    bare = [word for word in given if "=" not in word]
    routes = [one for one in ROUTES if f"{one.method} {one.path}" in (verb.route, verb.other)]
    fitting = [one for one in routes if len(one.variables) <= len(bare) <= len(one.variables) + len(verb.first)]
    if not fitting:
        forms = " or ".join(f"paywright sandbox {name} {_usage(one, verb)}".rstrip() for one in routes)
        raise ConfigurationError(f"This is written {forms}.")
    route, path = fitting[0], fitting[0].path
    for variable in route.variables:
        path = path.replace(f"{{{variable}}}", quote(os.fsencode(bare.pop(0)), safe=""))
    words = [f"{field}={word}" for field, word in zip(verb.first, bare, strict=False)]
    body = {**_fields(name, route, [*words, *(word for word in given if "=" in word)]), **(more or {})}
    return remote_of(args).call(route.method, path, body if route.fields else None)


def _usage(route: Route, verb: Verb) -> str:
    fields = [f"{field.name}=..." if field.required else f"[{field.name}=...]" for field in route.fields]
    return " ".join((*(f"<{name}>" for name in (*route.variables, *verb.first)), *fields))


def _fields(what: str, route: Route, words: Sequence[str]) -> dict[str, object]:
    """Turn `NAME=VALUE` words into the fields of a route. Raises `ConfigurationError`."""
    from paywright_runtime.errors import ConfigurationError

    kinds = {field.name: field.kind for field in route.fields}
    body: dict[str, object] = {}
    for word in words:
        name, _, value = word.partition("=")
        if name not in kinds:
            there = f"there is {', '.join(kinds)}" if kinds else "it has none"
            raise ConfigurationError(f"{name} is no field of {what}: {there}.")
        body[name] = _typed(name, kinds[name], value)
    return body


_JSON: Final = {
    "integer": "a whole number",
    "boolean": "true or false",
    "object": "a JSON object",
    "array": "a JSON list",
}


def _typed(name: str, kind: str, value: str) -> object:
    from paywright_runtime.errors import ConfigurationError

    if name == "seconds" and not value.isdigit():  # a span of time: 10m
        found = re.fullmatch(r"(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,12})s)?", value, re.ASCII)
        if found is None or not any(found.groups()):
            raise ConfigurationError(f"{value} is no span of time: write 90s, 10m, 2h, 30d or 1d12h.")
        return sum(int(part or 0) * unit for part, unit in zip(found.groups(), (86400, 3600, 60, 1), strict=True))
    if kind not in _JSON:
        return value
    try:
        typed: object = json.loads(value)
    except ValueError:
        raise ConfigurationError(f"{name} must be {_JSON[kind]}.") from None
    return typed


def say_answer(args: argparse.Namespace, answer: Mapping[str, object]) -> None:
    """Print an answer: its rows, each on a line, and then its plain members."""
    from paywright_runtime import strict_json

    if getattr(args, "json", False):
        say_json(strict_json.write(dict(answer)))
        return
    rows = next((value for value in answer.values() if isinstance(value, list)), None)
    for row in rows or ():
        say(_line(row))
    line = _line(answer)
    if line or not rows:
        say(line or "There is nothing.")


def _line(row: Mapping[str, object]) -> str:
    if "what" in row:  # an event
        return f"{row['at']} {row['kind']} {row['subject']}" + (f": {row['what']}" if row["what"] else "")
    plain: list[str] = []
    for name, value in row.items():
        if isinstance(value, dict) and name != "body":
            plain.append(f"{name}: {_line(value)}")
        elif value not in (None, "") and not isinstance(value, (dict, list)) and name != "raw":
            said = (
                str(value).lower()
                if isinstance(value, bool)
                else format(value, "f") if hasattr(value, "as_tuple") else value
            )
            plain.append(f"{name} {said}")
    return ", ".join(plain)


def _whole_seconds(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 600:
        raise argparse.ArgumentTypeError("a number of seconds from 1 to 600")
    return int(text)


def _wait(args: argparse.Namespace) -> None:
    from time import monotonic, sleep

    from paywright_runtime.errors import ConfigurationError

    remote, until = remote_of(args), monotonic() + args.seconds
    while True:
        try:
            answer = remote.call("GET", "health")
            break
        except ConfigurationError:
            if monotonic() > until:
                raise
            sleep(0.05)
    merchants = answer.get("merchants")
    say(f"Served on {answer['address']} for {', '.join(map(str, merchants)) if isinstance(merchants, list) else ''}.")


def _policies(args: argparse.Namespace) -> None:
    """Print all policies. Raises `ConfigurationError` if sandbox.toml is invalid."""
    from paywright_sandbox.engine.settings import SETTINGS_FILE
    from paywright_sandbox.gateway import POLICIES, make_policies, read_settings

    file = args.dir / SETTINGS_FILE  # without a folder there are only the defaults
    values = read_settings(args.dir).policies if file.exists() else make_policies()
    rows = [
        {"name": name, "default": policy.default, "value": values.value(name), "question": policy.question, "decides": policy.summary}
        for name, policy in POLICIES.items()
    ]  # fmt: skip
    if args.json:
        say_json(json.dumps(rows, indent=1))
        return
    say(f"The policies of {file}:" if file.exists() else f"The defaults; there is no {file}:", "")
    for row in rows:
        changed = "" if row["value"] == row["default"] else f"   (default {json.dumps(row['default'])})"
        say(f"{row['name']} = {json.dumps(row['value'])}{changed}", f"    {row['decides']} [{row['question']}]")


# The sandbox that a command controls


def guarded(command: Callable[[argparse.Namespace], None]) -> Callable[[argparse.Namespace], int]:
    """Make a command return 0 if done, 1 with the sandbox's reason if it refused, 2 if no sandbox answered."""

    def run(args: argparse.Namespace) -> int:
        from paywright_runtime.errors import ConfigurationError
        from paywright_sandbox.control.client import RemoteRefused

        try:
            command(args)
        except RemoteRefused as refused:
            complain(f"refused: {refused}", "paywright sandbox")
            return Exit.NO
        except ConfigurationError as error:
            complain(str(error), "paywright sandbox")
            return Exit.USAGE
        return Exit.OK

    return run


def remote_of(args: argparse.Namespace) -> ControlClient:
    """Return the sandbox of `--url`, or of the folder `--dir`."""
    from paywright_sandbox.control.client import ControlClient

    return ControlClient(args.dir, getattr(args, "url", None))


def add_where(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which sandbox. They may also stand before the action."""
    parser.add_argument("--dir", metavar="DIR", type=Path, default=argparse.SUPPRESS, help="the sandbox's folder")
    parser.add_argument(
        "--url", metavar="URL", default=argparse.SUPPRESS, help="its URL, if it is not the one in its .env"
    )
