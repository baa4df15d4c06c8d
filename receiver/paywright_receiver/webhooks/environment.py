"""Read the settings of a receiver from environment variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from paywright_runtime.environment import Environment, prefix_of
from paywright_runtime.errors import MissingSetting

if TYPE_CHECKING:
    from paywright_runtime.client.settings import BaseMerchant


def _place_of(name: str, front: str) -> str:
    """Name the argument and the variables that set a setting."""
    places = {
        "gateway_keys": f"Receiver(gateway_keys=...), {front}GATEWAY_KEYS (key texts, commas between) or {front}GATEWAY_KEY_FILES",
        "private_key": f"{front}PRIVATE_KEY (key text) or {front}PRIVATE_KEY_FILE, which {front}SIGN_ANSWERS asks for",
    }
    return places.get(name, f"Receiver({name}=...) or {front}{name.upper()}")


def settings_from(
    merchant: type[BaseMerchant], numbers: Sequence[str], env: Mapping[str, str] | None = None
) -> dict[str, object]:
    """Read a receiver's arguments from the environment (or from `env`). Names there begin with that of the merchant's package.

    `numbers` are those that notifications name; the first is required.

    Raises `MissingSetting` with all missing names at once, and `ConfigurationError` for a value that cannot be read.
    """
    names = Environment(merchant, env)
    given, public = {name: names.text(name) for name in numbers}, names.key_sources("gateway_keys", "gateway_key_files")
    signs = names.flag("sign_answers")
    private = names.key_sources("private_key", "private_key_file") if signs else []
    found = {numbers[0]: given[numbers[0]], "gateway_keys": public, **({"private_key": private} if signs else {})}
    absent = [name for name, there in found.items() if not there]
    if absent:
        front = prefix_of(merchant.PACKAGE)
        raise MissingSetting(names=absent, places={name: _place_of(name, front) for name in absent})
    own = private[0] if private else None
    return {**given, "gateway_keys": public, "sign_answers": own, "log_tracebacks": names.flag("log_tracebacks")}
