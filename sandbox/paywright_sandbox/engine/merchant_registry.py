"""The merchants of one sandbox: those of sandbox.toml and the command line, and those that were added while it ran.

Added ones stand in the state: they survive a restart, are in snapshots, and a reset takes them away unless it is told to
keep them. Where one of the settings has a number of an added one, the settings win and the added one is set aside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from paywright_runtime import strict_json
from paywright_runtime.errors import KeyProblem
from paywright_runtime.keys import fingerprint, load_public_key
from paywright_tools.sandbox.merchants import (
    RegisteredMerchant,
    address_faults,
    entry_faults,
    merchant_of,
    spelled,
    taken,
)
from paywright_tools.sandbox.store import Cell, Row, State, Store, instant
from paywright_tools.sandbox.turn import Refused

if TYPE_CHECKING:
    from paywright_tools.sandbox.settings import SandboxSettings

__all__ = ["TABLES", "Added", "MerchantBook", "rows_of"]

TABLES: Final = """
CREATE TABLE merchants (
    id INTEGER PRIMARY KEY, app_id TEXT NOT NULL UNIQUE, entry BLOB NOT NULL, public_key TEXT NOT NULL,
    added_at INTEGER NOT NULL
)
"""

_ORIGIN: Final = "control API"
_COLUMNS: Final = ("app_id", "entry", "public_key", "added_at")


class Added(NamedTuple):
    """A merchant of the state. `aside` says why it is not in force; None if it is."""

    merchant: RegisteredMerchant
    aside: str | None


class MerchantBook:
    """Threads may share it: what is added changes inside transactions alone. `reload` after the state was changed by
    anything else."""

    def __init__(self, store: Store, settings: SandboxSettings) -> None:
        self._store = store
        self._settings = settings
        self._all: tuple[Added, ...] = ()
        self._added: tuple[RegisteredMerchant, ...] = ()
        self.reload()

    @property
    def registered(self) -> tuple[RegisteredMerchant, ...]:
        """All merchants that may call, those of the settings first."""
        configured = self._settings.merchants
        return (*configured, *self._added) if self._added else configured

    @property
    def set_aside(self) -> list[Added]:
        """The merchants of the state that may not, because one of the settings has their number."""
        return [added for added in self._all if added.aside is not None]

    def named(self, app_id: str) -> RegisteredMerchant | None:
        """The merchant of an app id, in force or set aside; None if there is none."""
        everybody = (*self.registered, *(added.merchant for added in self.set_aside))
        return next((merchant for merchant in everybody if merchant.app_id == app_id), None)

    def reload(self) -> None:
        """Reads from the store again who was added."""
        with self._store.transaction() as state:
            self._read(state)

    def add(self, entry: Mapping[str, object], public_key: str, now: datetime) -> RegisteredMerchant:
        """Registers a merchant, who may call at once. Raises `Refused` with everything that is wrong.

        `entry` has the names of sandbox.toml, `public_key` is PEM or the Base64 inside it.
        """
        wrong = [f"{name} is required" for name in ("app-id", "merchant-no") if name not in entry]
        wrong += entry_faults("the merchant", entry)
        wrong += address_faults("the merchant", entry, self._settings.deliver_to)
        if wrong:
            raise Refused(
                f"{spelled('; '.join(fault.removeprefix('the merchant: ').rstrip('.') for fault in wrong))}.",
                code="400",
            )
        try:
            key = load_public_key(public_key)
        except KeyProblem as problem:
            raise Refused(f"publicKey: {problem}", code="400") from None
        merchant = merchant_of(entry, key, origin=_ORIGIN)
        if self._settings.signer.key in merchant.verifier.keys:
            raise Refused(
                "publicKey is the gateway's own. Give the merchant's: the pair of the key that the merchant signs with.",
                code="400",
            )
        with self._store.transaction() as state:
            others = [*self._settings.merchants, *(added.merchant for added in self._all)]
            if twice := taken(merchant.numbers, (other.numbers for other in others)):
                raise Refused(_taken(twice, str(entry[twice]), others), code="409")
            values: dict[str, Cell] = {
                "app_id": merchant.app_id,
                "entry": strict_json.write(dict(entry)),
                "public_key": public_key,
                "added_at": instant(now),
            }
            state.insert("merchants", values)
            detail = {"merchantNo": merchant.numbers.get("merchant_no"), "key": fingerprint(key)}
            state.record(now, "merchant.added", merchant.app_id, detail)
            self._read(state)
        return merchant

    def remove(self, app_id: str, now: datetime) -> None:
        """Takes a merchant away who was added; its orders stay. Raises `Refused`."""
        with self._store.transaction() as state:
            row = state.one("SELECT id FROM merchants WHERE app_id = ?", app_id)
            if row is None:
                known = next((merchant for merchant in self.registered if merchant.app_id == app_id), None)
                if known is None:
                    raise Refused(f"No merchant has this app id; there is {_names(self.registered)}.", code="404")
                raise Refused(
                    f"{app_id} comes from {known.origin}: take it out there, and serve the sandbox anew.", code="409"
                )
            number = row["id"]
            assert isinstance(number, int)
            state.delete("merchants", number)
            state.record(now, "merchant.removed", app_id, {})
            self._read(state)

    def _read(self, state: State) -> None:
        found: list[Added] = []
        for row in state.all("SELECT * FROM merchants ORDER BY id"):
            merchant = _merchant(row)
            numbers = [other.numbers for other in self._settings.merchants]
            twice = taken(merchant.numbers, numbers)
            aside = f"a merchant of the settings has its {spelled(twice)}" if twice else None
            found.append(Added(merchant, aside))
        self._all = tuple(found)
        self._added = tuple(added.merchant for added in found if added.aside is None)


def rows_of(state: State) -> list[Row]:
    """The merchants of a state as they are kept, to be put into another one."""
    return [{name: row[name] for name in _COLUMNS} for row in state.all("SELECT * FROM merchants ORDER BY id")]


def _merchant(row: Row) -> RegisteredMerchant:
    raw, key = row["entry"], row["public_key"]
    assert isinstance(raw, bytes)
    assert isinstance(key, str)
    entry = strict_json.parse(raw)
    assert isinstance(entry, dict)
    return merchant_of(entry, load_public_key(key), origin=_ORIGIN)


def _taken(name: str, value: str, others: Sequence[RegisteredMerchant]) -> str:
    number = name.replace("-", "_")
    holder = next(other for other in others if other.numbers.get(number) == value)
    return (
        f"{spelled(name)} {value} is that of {holder.app_id}, from {holder.origin}. Choose another, or remove that "
        "merchant first."
    )


def _names(merchants: Sequence[RegisteredMerchant]) -> str:
    return ", ".join(merchant.app_id for merchant in merchants)
