"""Read and check `sandbox.toml` and the keys that it names: the settings of one sandbox."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, TypeVar

from paywright.contract import CONTRACT
from paywright_runtime.errors import ConfigurationError, InvalidArgument, KeyProblem
from paywright_runtime.signing.key_text import in_words
from paywright_runtime.signing.keys import load_private_key, load_public_key
from paywright_runtime.signing.rsa import RsaSigner
from paywright_sandbox.engine.merchant import (
    ENTRY,
    NUMBERS,
    RegisteredMerchant,
    address_faults,
    entry_faults,
    merchant_of,
    taken,
    unknown,
)
from paywright_sandbox.engine.policies import Policies, Policy

SETTINGS_FILE: Final = "sandbox.toml"
STATE_FILE: Final = "state.sqlite3"
BIZ_PATH: Final = "/aggregate-pay/api/biz"
"""The sandbox's address for operations whose address is not shown [4.7, 4.10]; bizType tells them apart."""


def _unplaced() -> Iterator[str]:
    operations = map(CONTRACT.operation, CONTRACT.operations())
    return (one.name for one in operations if not one.inbound and one.path is None)


Key = TypeVar("Key")
Pairs = Sequence[tuple[str, str]]


@dataclass(eq=False, kw_only=True, repr=False)
class SandboxSettings:
    """The settings of one sandbox. Made by `read_settings`, or by hand in tests.

    `receive_in_process`, if set, gets headers and body of each request to a merchant instead of its address, and returns
    status, headers and body of the answer.
    """

    merchants: tuple[RegisteredMerchant, ...]
    signer: RsaSigner
    policies: Policies
    paths: Mapping[str, str] = field(default_factory=dict)
    port: int = 8787
    allowed_hosts: Sequence[str] = ()
    deliver_to: Sequence[str] = ()
    max_body: int = 1024 * 1024
    seed: str = "1"
    judge_request_time: Literal["wall", "sandbox", "off"] = "wall"
    request_skew_seconds: int = 120
    state: Path | None = None
    log_keeps: int = 10_000
    receive_in_process: Callable[[Pairs, bytes], tuple[int, Pairs, bytes]] | None = None

    def __post_init__(self) -> None:
        self.paths = {**dict.fromkeys(_unplaced(), BIZ_PATH), **self.paths}


# Tables of sandbox.toml. A setting of server, clock and state is the field of `SandboxSettings` with its name.
_SHAPE: Final[Mapping[str, Mapping[str, type]]] = {
    "server": {"port": int, "allowed-hosts": list, "deliver-to": list, "max-body": int},
    "gateway": {"private-key-file": str},
    "clock": {"judge-request-time": str, "request-skew-seconds": int},
    "state": {"seed": str, "log-keeps": int},
}
_MERCHANT: Final = ("public-key-file", *ENTRY)


def read_settings(folder: Path, policies: Mapping[str, Policy]) -> SandboxSettings:
    """Read the settings of a folder that `paywright sandbox init` made. File names are relative to the folder.

    `policies` are all policies by name. Raises `ConfigurationError` with all errors, or `KeyProblem`.
    """
    file = folder / SETTINGS_FILE
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigurationError(
            f"There is no {file}. Make a sandbox there with: paywright sandbox init {folder}"
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError(f"{file} cannot be read: {error}") from None
    wrong = _faults(found)
    if wrong:
        raise ConfigurationError(f"{file} is not right:" + "".join(f"\n  {fault}" for fault in wrong))
    given = {**found.get("server", {}), **found.get("clock", {}), **found.get("state", {})}
    try:
        in_force = Policies(policies, found.get("policies"))
    except ConfigurationError as error:
        raise ConfigurationError(f"{file} is not right:\n  " + str(error).replace("\n", "\n  ")) from None
    return SandboxSettings(
        merchants=tuple(
            merchant_of(
                entry,
                _key(
                    load_public_key,
                    folder / entry["public-key-file"],
                    f"public-key-file of the merchant {entry['app-id']}",
                ),
            )
            for entry in found["merchants"]
        ),
        signer=RsaSigner(
            _key(load_private_key, folder / found["gateway"]["private-key-file"], "private-key-file of [gateway]")
        ),
        policies=in_force,
        paths=found.get("paths", {}),
        state=folder / STATE_FILE,
        **{name.replace("-", "_"): value for name, value in given.items()},
    )


def _key(load: Callable[[Path], Key], file: Path, named: str) -> Key:
    """Load a key. Raises `KeyProblem` that names the file and its setting."""
    try:
        return load(file)
    except KeyProblem as problem:
        words = in_words(problem)
        where = named if str(file) in words else f"{file}, {named}"
        raise KeyProblem(f"{where}: {words}", why=problem.why) from None


def _faults(found: Mapping[str, object]) -> list[str]:
    wrong: list[str] = []
    for name, value in found.items():
        if name in _SHAPE:
            wrong += _table_faults(name, value, _SHAPE[name])
        elif name == "paths":
            wrong += _path_faults(value)
        elif name not in ("merchants", "policies"):
            wrong.append(unknown(name, "table", [*_SHAPE, "merchants", "paths", "policies"]))
    if not isinstance(found.get("policies", {}), dict):
        wrong.append("[policies] must be a table")
    gateway = found.get("gateway")
    if not isinstance(gateway, dict) or "private-key-file" not in gateway:
        wrong.append("[gateway] needs private-key-file: the key that signs the answers")
    merchants = found.get("merchants")
    if not isinstance(merchants, list) or not merchants:
        return [*wrong, "there must be at least one [[merchants]]"]
    for number, entry in enumerate(merchants, 1):
        wrong += _merchant_faults(number, entry)
    server = found.get("server")
    hosts = server.get("deliver-to", []) if isinstance(server, dict) else []
    allowed = [host for host in hosts if isinstance(host, str)] if isinstance(hosts, list) else []
    known: list[dict[str, object]] = []
    for number, entry in enumerate(merchants, 1):
        if isinstance(entry, dict):
            wrong += address_faults(f"[[merchants]] number {number}", entry, allowed)
            numbers: dict[str, object] = {name: entry.get(name.replace("_", "-")) for name in NUMBERS}
            if twice := taken(numbers, known):
                wrong.append(f"two [[merchants]] have the {twice} {entry[twice]}")
            known.append(numbers)
    return wrong


def _table_faults(name: str, value: object, shape: Mapping[str, type]) -> list[str]:
    if not isinstance(value, dict):
        return [f"[{name}] must be a table"]
    wrong = [unknown(key, f"setting in [{name}]", shape) for key in value if key not in shape]
    words = {int: "a whole number, 0 or more", str: "text", bool: "true or false", list: "a list of texts"}
    for key, kind in shape.items():
        if key in value and not _fits(value[key], kind):
            wrong.append(f"[{name}] {key} must be {words[kind]}")
    if value.get("judge-request-time", "wall") not in ("wall", "sandbox", "off"):
        wrong.append("[clock] judge-request-time must be wall, sandbox or off")
    return wrong


def _fits(item: object, kind: type) -> bool:
    if isinstance(item, list):
        return kind is list and all(isinstance(part, str) for part in item)
    return type(item) is kind and not (isinstance(item, int) and item < 0)


def _path_faults(value: object) -> list[str]:
    if not isinstance(value, dict):
        return ["[paths] must be a table of operations and their addresses"]
    wrong = []
    for name, path in value.items():
        try:
            CONTRACT.operation(name)
        except InvalidArgument as error:
            wrong.append(f"[paths] {error}")
        if not isinstance(path, str) or not path.startswith("/") or path.startswith("/_sandbox"):
            wrong.append(f"[paths] {name} must begin with / and not with /_sandbox")
    return wrong


def _merchant_faults(number: int, entry: object) -> list[str]:
    if not isinstance(entry, dict):
        return [f"[[merchants]] number {number} must be a table"]
    where = f"[[merchants]] number {number}"
    wrong = [unknown(key, f"setting in {where}", _MERCHANT) for key in entry if key not in _MERCHANT]
    wrong += [f"{where} needs {key}" for key in ("app-id", "public-key-file") if key not in entry]
    if not isinstance(entry.get("public-key-file", "-"), str):
        wrong.append(f"{where}: public-key-file must be text")
    return wrong + entry_faults(where, entry)
