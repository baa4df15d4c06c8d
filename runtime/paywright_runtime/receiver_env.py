"""The settings of a receiver as the environment names them."""

from __future__ import annotations

from collections.abc import Mapping
from os import environ
from pathlib import Path
from typing import Final, NamedTuple

from paywright_runtime.errors import ConfigurationError, MissingSetting

__all__ = ["ReceiverSettings", "settings_from"]

_PREFIX: Final = "PAYWRIGHT_"
_YES: Final = ("1", "yes", "true", "on")
_NO: Final = ("", "0", "no", "false", "off")
_PLACES: Final = {
    "app_id": "Receiver(app_id=...) or PAYWRIGHT_APP_ID",
    "gateway_keys": "Receiver(gateway_keys=...), PAYWRIGHT_GATEWAY_KEYS (key texts, commas between) or PAYWRIGHT_GATEWAY_KEY_FILES",
    "private_key": "PAYWRIGHT_PRIVATE_KEY (key text) or PAYWRIGHT_PRIVATE_KEY_FILE, which PAYWRIGHT_SIGN_ANSWERS asks for",
}


class ReceiverSettings(NamedTuple):
    """What the environment says; `repr` shows no key."""

    app_id: str
    gateway_keys: list[Path | str]
    merchant_no: str | None
    sign_answers: Path | str | None
    log_tracebacks: bool = False

    def __repr__(self) -> str:
        return f"<ReceiverSettings of {self.app_id}>"


def settings_from(env: Mapping[str, str] | None = None) -> ReceiverSettings:
    """The settings that `PAYWRIGHT_*` names describe.

    Raises `MissingSetting` with all that is missing, `ConfigurationError` for a switch that is neither on nor off.
    """
    names = environ if env is None else env

    def value(name: str) -> str:
        return names.get(_PREFIX + name, "").strip()

    def sources(text: str, file: str) -> list[Path | str]:
        texts: list[Path | str] = [part.strip() for part in value(text).split(",") if part.strip()]
        files: list[Path | str] = [Path(part.strip()) for part in value(file).split(",") if part.strip()]
        return texts + files

    app_id, public = value("APP_ID"), sources("GATEWAY_KEYS", "GATEWAY_KEY_FILES")

    def switched(name: str) -> bool:
        word = value(name).lower()
        if word not in (*_YES, *_NO):
            raise ConfigurationError(
                f"{_PREFIX}{name} is yes or no ({', '.join((*_YES, *_NO[1:]))}), and was something else."
            )
        return word in _YES

    signs = switched("SIGN_ANSWERS")
    private = sources("PRIVATE_KEY", "PRIVATE_KEY_FILE") if signs else []
    found = {"app_id": app_id, "gateway_keys": public, **({"private_key": private} if signs else {})}
    absent = [name for name, there in found.items() if not there]
    if absent:
        raise MissingSetting(names=absent, places=_PLACES)
    own = private[0] if private else None
    return ReceiverSettings(app_id, public, value("MERCHANT_NO") or None, own, switched("LOG_TRACEBACKS"))
