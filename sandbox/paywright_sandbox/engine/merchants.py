"""Keep the registered merchants: those of the settings, and those added while the sandbox runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final

from paywright_runtime import strict_json
from paywright_runtime.errors import KeyProblem
from paywright_runtime.signing.key_text import in_words
from paywright_runtime.signing.keys import fingerprint, load_public_key
from paywright_sandbox.engine.merchant import (
    RegisteredMerchant,
    address_faults,
    entry_faults,
    merchant_of,
    taken,
    with_api_names,
)
from paywright_sandbox.engine.state.refusal import Refusal
from paywright_sandbox.engine.state.state import State
from paywright_sandbox.engine.state.store import Store
from paywright_sandbox.engine.state.tables import UNIQUE, TableRow

if TYPE_CHECKING:
    from paywright_sandbox.engine.settings import SandboxSettings

_ORIGIN: Final = "control API"


@dataclass(frozen=True, kw_only=True)
class AddedMerchant(TableRow, table="merchants"):
    """A merchant added while the sandbox ran. `entry` is JSON with the names of sandbox.toml."""

    app_id: str = field(metadata=UNIQUE)
    entry: bytes
    public_key: str
    added_at: datetime


TABLES: Final = (AddedMerchant,)


class MerchantRegistry:
    """The registered merchants. Threads may share it.

    Call `reload` after anything else has changed the state.
    """

    def __init__(self, store: Store, settings: SandboxSettings) -> None:
        self._store = store
        self._settings = settings
        self._all: tuple[RegisteredMerchant, ...] = ()
        self._added: tuple[RegisteredMerchant, ...] = ()
        self.reload()

    @property
    def registered(self) -> tuple[RegisteredMerchant, ...]:
        """The merchants, those of the settings first. An added one is not in force while theirs has one of its numbers."""
        configured = self._settings.merchants
        return (*configured, *self._added) if self._added else configured

    def named(self, app_id: str) -> RegisteredMerchant | None:
        """Return the merchant of an app id; None if there is none."""
        return next((merchant for merchant in self.registered if merchant.app_id == app_id), None)

    def reload(self) -> None:
        """Read the added merchants from the store again."""
        with self._store.transaction() as state:
            self._read(state)

    def add(self, entry: Mapping[str, object], public_key: str, now: datetime) -> RegisteredMerchant:
        """Register a merchant, who may call at once. Raises `Refusal` with all errors.

        `entry` has the names of sandbox.toml, `public_key` is PEM or the Base64 inside it.
        """
        wrong = [f"{name} is required" for name in ("app-id", "merchant-no") if name not in entry]
        wrong += entry_faults("the merchant", entry)
        wrong += address_faults("the merchant", entry, self._settings.deliver_to)
        if wrong:
            raise Refusal(
                f"{with_api_names('; '.join(fault.removeprefix('the merchant: ').rstrip('.') for fault in wrong))}.",
                code="400",
            )
        try:
            key = load_public_key(public_key)
        except KeyProblem as problem:
            raise Refusal(f"publicKey: {in_words(problem)}", code="400") from None
        merchant = merchant_of(entry, key, origin=_ORIGIN)
        if self._settings.signer.key in merchant.verifier.keys:
            raise Refusal(
                "publicKey is the gateway's own. Use the public key of the pair that the merchant signs with.",
                code="400",
            )
        with self._store.transaction() as state:
            others = [*self._settings.merchants, *self._all]
            if twice := taken(merchant.numbers, (other.numbers for other in others)):
                raise Refusal(_taken(twice, str(entry[twice]), others), code="409")
            state.add(
                AddedMerchant(
                    app_id=merchant.app_id, entry=strict_json.write(dict(entry)), public_key=public_key, added_at=now
                )
            )
            detail = {"merchantNo": merchant.numbers.get("merchant_no"), "key": fingerprint(key)}
            state.record(now, "merchant.added", merchant.app_id, detail)
            self._read(state)
        return merchant

    def remove(self, app_id: str, now: datetime) -> None:
        """Remove an added merchant; its orders stay. Raises `Refusal`."""
        with self._store.transaction() as state:
            row = state.find(AddedMerchant, "WHERE app_id = ?", app_id)
            if row is None:
                known = self.named(app_id)
                if known is None:
                    names = ", ".join(merchant.app_id for merchant in self.registered)
                    raise Refusal(f"No merchant has this app id; known: {names}.", code="404")
                raise Refusal(
                    f"{app_id} comes from {known.origin}: remove it there, and restart the sandbox.", code="409"
                )
            state.delete("merchants", row.id)
            state.record(now, "merchant.removed", app_id, {})
            self._read(state)

    def _read(self, state: State) -> None:
        self._all = read_added(state)
        configured = [merchant.numbers for merchant in self._settings.merchants]
        self._added = tuple(merchant for merchant in self._all if taken(merchant.numbers, configured) is None)


def read_added(state: State) -> tuple[RegisteredMerchant, ...]:
    """Return the added merchants of a state."""
    return tuple(map(_merchant, state.select(AddedMerchant, "ORDER BY id")))


def rows_of(state: State) -> list[AddedMerchant]:
    """Return the added merchants of a state without ids, to store them in another one."""
    return [row.with_fields(id=0) for row in state.select(AddedMerchant, "ORDER BY id")]


def _merchant(row: AddedMerchant) -> RegisteredMerchant:
    entry = strict_json.parse(row.entry)
    if not isinstance(entry, dict) or entry.get("app-id") != row.app_id or entry_faults("the merchant", entry):
        raise ValueError("The entry of an added merchant cannot be used.")
    return merchant_of(entry, load_public_key(row.public_key), origin=_ORIGIN)


def _taken(name: str, value: str, others: Sequence[RegisteredMerchant]) -> str:
    number = name.replace("-", "_")
    holder = next(other for other in others if other.numbers.get(number) == value)
    return (
        f"{with_api_names(name)} {value} belongs to {holder.app_id}, from {holder.origin}. Choose another, or remove that "
        "merchant first."
    )
