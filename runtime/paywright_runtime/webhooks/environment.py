"""Read the settings of a receiver from environment variables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from paywright_runtime.environment import Environment
from paywright_runtime.errors import MissingSetting

__all__ = ["ReceiverSettings", "settings_from"]

_PLACES: Final = {
    "app_id": "Receiver(app_id=...) or PAYWRIGHT_APP_ID",
    "gateway_keys": "Receiver(gateway_keys=...), PAYWRIGHT_GATEWAY_KEYS (key texts, commas between) or PAYWRIGHT_GATEWAY_KEY_FILES",
    "private_key": "PAYWRIGHT_PRIVATE_KEY (key text) or PAYWRIGHT_PRIVATE_KEY_FILE, which PAYWRIGHT_SIGN_ANSWERS asks for",
}


class ReceiverSettings(NamedTuple):
    """Settings of a receiver from the environment. `repr` shows no key."""

    app_id: str
    gateway_keys: list[Path | str]
    merchant_no: str | None
    sign_answers: Path | str | None
    log_tracebacks: bool = False

    def __repr__(self) -> str:
        return f"<ReceiverSettings of {self.app_id}>"


def settings_from(env: Mapping[str, str] | None = None) -> ReceiverSettings:
    """Read the receiver's settings from the `PAYWRIGHT_*` names of the environment (or of `env`).

    Raises `MissingSetting` with all that is missing at once, and `ConfigurationError` for a value that cannot be read.
    """
    names = Environment(env)
    app_id, public = names.text("app_id"), names.key_sources("gateway_keys", "gateway_key_files")
    signs = names.flag("sign_answers")
    private = names.key_sources("private_key", "private_key_file") if signs else []
    found = {"app_id": app_id, "gateway_keys": public, **({"private_key": private} if signs else {})}
    absent = [name for name, there in found.items() if not there]
    if absent or app_id is None:
        raise MissingSetting(names=absent, places=_PLACES)
    own = private[0] if private else None
    return ReceiverSettings(app_id, public, names.text("merchant_no"), own, names.flag("log_tracebacks"))
