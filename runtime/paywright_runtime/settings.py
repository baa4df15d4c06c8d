"""Who the merchant is and how the client behaves; the same by arguments or by environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import environ
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from paywright_runtime.errors import ConfigurationError, InvalidArgument, KeyProblem, MissingSetting
from paywright_runtime.keys import load_private_key, load_public_key, same_key
from paywright_runtime.signatures import RsaSigner, RsaVerifier, Signer, Verifier
from paywright_runtime.unburdened import unburdened

if TYPE_CHECKING:
    from paywright_runtime.snap import SnapSignature

__all__ = ["Merchant", "SnapAnswers", "Validation", "client_settings_from", "merchant_from"]

Validation = Literal["refuse", "report", "off"]
SnapAnswers = Literal["signed", "unsigned"]

_PREFIX: Final = "PAYWRIGHT_"

# The numbers by which the gateway knows a merchant: plain text, each with a name of its own in the environment.
NUMBERS: Final = (
    "app_id",
    "merchant_no",
    "member_id",
    "sp_merchant_no",
    "merchant_id",
    "snap_partner_id",
    "snap_channel_id",
    "snap_origin",
)
# Those that say who it is: what belongs to one merchant is nobody else's.
IDENTITY: Final = NUMBERS[:6]


class Merchant:
    """A merchant's numbers and keys.

    Args:
        app_id: unique id of the merchant app [2.1].
        private_key: the merchant's RSA key of 2048 bits: a `Path` to a file, or key text as PEM or one line of Base64, PKCS#8 or
            PKCS#1; or a `Signer` of your own, so that a KMS or an HSM signs [5].
        gateway_keys: the service's public keys, the same forms; several may be live at once. Or a `Verifier` of your own.
        merchant_no: needed by rates.query, accounts.list_authorized and cases.inquire [2.1].
        member_id: needed by withdrawals.query [4.15].
        sp_merchant_no: merchant id of the ISV service provider, for cases [4.9].
        merchant_id: needed by payment_tokens.inquire and snap.status [4.7, 4.17].
        snap_partner_id, snap_channel_id, snap_origin: headers of the bank-style calls [4.17].
        snap_signature: how X-SIGNATURE is made: `SnapAsymmetric(...)`, `SnapSymmetric(...)`, or your own. Not shown in the
            specification [5.7].

    Raises:
        KeyProblem: a key cannot be used; the message says why and shows none of it.
    """

    __slots__ = (*NUMBERS, "signer", "snap_signature", "verifier")

    @unburdened
    def __init__(
        self,
        *,
        app_id: str,
        private_key: Path | str | bytes | Signer,
        gateway_keys: Sequence[Path | str | bytes] | Verifier,
        merchant_no: str | None = None,
        member_id: str | None = None,
        sp_merchant_no: str | None = None,
        merchant_id: str | None = None,
        snap_partner_id: str | None = None,
        snap_channel_id: str | None = None,
        snap_origin: str | None = None,
        snap_signature: SnapSignature | None = None,
    ) -> None:
        self.app_id = app_id
        self.merchant_no = merchant_no
        self.member_id = member_id
        self.sp_merchant_no = sp_merchant_no
        self.merchant_id = merchant_id
        self.snap_partner_id = snap_partner_id
        self.snap_channel_id = snap_channel_id
        self.snap_origin = snap_origin
        self.snap_signature = snap_signature
        self.signer, self.verifier = _keys(private_key, gateway_keys)

    def __repr__(self) -> str:
        return f"Merchant(app_id={self.app_id!r}, merchant_no={self.merchant_no!r})"


def _keys(
    private_key: Path | str | bytes | Signer, gateway_keys: Sequence[Path | str | bytes] | Verifier
) -> tuple[Signer, Verifier]:
    private = load_private_key(private_key) if isinstance(private_key, (Path, str, bytes)) else None
    signer = private_key if not isinstance(private_key, (Path, str, bytes)) else RsaSigner(private) if private else None
    if signer is None:
        raise KeyProblem("The private key is empty.", why="empty")
    if isinstance(gateway_keys, (Path, str, bytes)):
        gateway_keys = [gateway_keys]
    if not isinstance(gateway_keys, Sequence):
        return signer, gateway_keys
    public = [load_public_key(key) for key in gateway_keys]
    if not public:
        raise KeyProblem(
            "gateway_keys is empty: give the service's public key, as its dashboard shows it [5].", why="empty"
        )
    if private is not None and any(same_key(private, key) for key in public):
        raise KeyProblem(
            "One of gateway_keys is your own public key. Give the service's public key, as its dashboard shows it [5]; "
            "yours is the one you upload there.",
            why="own_key",
        )
    return signer, RsaVerifier(public)


# The environment

_PLACES: Final = {
    "base_url": "Client(base_url=...) or PAYWRIGHT_BASE_URL",
    "app_id": "Merchant(app_id=...) or PAYWRIGHT_APP_ID",
    "private_key": "Merchant(private_key=...), PAYWRIGHT_PRIVATE_KEY (key text) or PAYWRIGHT_PRIVATE_KEY_FILE",
    "gateway_keys": "Merchant(gateway_keys=...), PAYWRIGHT_GATEWAY_KEYS (key texts, commas between) or PAYWRIGHT_GATEWAY_KEY_FILES",
    "snap_signature": "Merchant(snap_signature=SnapAsymmetric(...) or SnapSymmetric(...)), or PAYWRIGHT_SNAP_SIGNATURE",
}


def place_of(name: str) -> str:
    """Where a setting can be set."""
    if name.startswith("paths["):
        operation = name[len("paths[") : -1]
        return (
            f'Client(paths={{"{operation}": "/..."}}) or PAYWRIGHT_PATHS="{operation}=/..."; its address is not shown'
        )
    return _PLACES.get(name, f"Merchant({name}=...) or {_PREFIX}{name.upper()}")


def missing(names: Sequence[str]) -> MissingSetting:
    """The error for settings that are not there, all at once."""
    return MissingSetting(names=names, places={name: place_of(name) for name in names})


def _names(env: Mapping[str, str] | None) -> Mapping[str, str]:
    return environ if env is None else env


def _value(env: Mapping[str, str], name: str) -> str | None:
    return env.get(_PREFIX + name.upper()) or None


@unburdened
def merchant_from(env: Mapping[str, str] | None = None) -> tuple[Merchant, str]:
    """The merchant and the base URL that `PAYWRIGHT_*` names describe. Raises `MissingSetting` with all that is missing."""
    env = _names(env)
    base_url, app_id = _value(env, "base_url"), _value(env, "app_id")
    private = _key_sources(env, "private_key", "private_key_file")
    public = _key_sources(env, "gateway_keys", "gateway_key_files")
    found = {"base_url": base_url, "app_id": app_id, "private_key": private, "gateway_keys": public}
    absent = [name for name, value in found.items() if not value]
    if absent or base_url is None or app_id is None:
        raise missing(absent)
    merchant = Merchant(app_id=app_id, private_key=private[0], gateway_keys=public)
    for name in NUMBERS[1:]:
        setattr(merchant, name, _value(env, name))
    merchant.snap_signature = _snap_signature(env, merchant.signer)
    return merchant, base_url


def _key_sources(env: Mapping[str, str], text: str, file: str) -> list[Path | str]:
    texts: list[Path | str] = [part.strip() for part in (_value(env, text) or "").split(",") if part.strip()]
    files: list[Path | str] = [Path(part.strip()) for part in (_value(env, file) or "").split(",") if part.strip()]
    return texts + files


def _snap_signature(env: Mapping[str, str], signer: Signer) -> SnapSignature | None:
    kind = _value(env, "snap_signature")
    if kind is None:
        return None
    from paywright_runtime.snap import SnapAsymmetric, SnapSymmetric

    if kind == "asymmetric":
        return SnapAsymmetric(signer)
    secret, token = _value(env, "snap_client_secret"), _value(env, "snap_access_token")
    if kind != "symmetric":
        raise ConfigurationError("PAYWRIGHT_SNAP_SIGNATURE must be asymmetric or symmetric.")
    absent = [name for name, value in (("snap_client_secret", secret), ("snap_access_token", token)) if not value]
    if secret is None or token is None:
        raise MissingSetting(names=absent, places={name: f"{_PREFIX}{name.upper()}" for name in absent})
    return SnapSymmetric(secret, token)


class ClientSettings:
    """How a client behaves, checked: what `Client(...)` takes besides the address and the merchant."""

    __slots__ = (
        "ca_file",
        "max_order_key",
        "paths",
        "proxy",
        "retries",
        "snap_answers",
        "strict_answers",
        "timeout",
        "validation",
    )

    def __init__(
        self,
        *,
        timeout: float = 30.0,
        paths: Mapping[str, str] | None = None,
        proxy: str | None = None,
        ca_file: Path | str | None = None,
        validation: Validation = "refuse",
        strict_answers: bool = False,
        max_order_key: int = 63,
        snap_answers: SnapAnswers = "signed",
        retries: int = 2,
    ) -> None:
        if not timeout > 0:
            raise InvalidArgument("timeout is in seconds and above 0.")
        if validation not in ("refuse", "report", "off"):
            raise InvalidArgument("validation is 'refuse', 'report' or 'off'.")
        if snap_answers not in ("signed", "unsigned"):
            raise InvalidArgument("snap_answers is 'signed' or 'unsigned'.")
        if max_order_key < 1:
            raise InvalidArgument("max_order_key is a number of characters, at least 1.")
        if retries < 0:
            raise InvalidArgument("retries is how often a call is tried again, 0 or more.")
        for operation, path in (paths or {}).items():
            if not path.startswith("/") or any(c <= " " or c >= "\x7f" for c in path):
                raise InvalidArgument(
                    f"paths[{operation!r}] must begin with / and hold printable ASCII without spaces."
                )
        self.timeout = timeout
        self.paths = dict(paths or {})
        self.proxy = proxy
        self.ca_file = ca_file
        self.validation = validation
        self.strict_answers = strict_answers
        self.max_order_key = max_order_key
        self.snap_answers = snap_answers
        self.retries = retries


def client_settings_from(env: Mapping[str, str] | None = None) -> ClientSettings:
    """The settings that `PAYWRIGHT_*` names describe."""
    env = _names(env)
    paths = dict(part.split("=", 1) for part in (_value(env, "paths") or "").split(",") if "=" in part)
    return ClientSettings(
        timeout=_number(env, "timeout", 30.0),
        paths={operation.strip(): path.strip() for operation, path in paths.items()},
        proxy=_value(env, "proxy"),
        ca_file=_value(env, "ca_file"),
        validation=_word(env, "validation", "refuse"),  # type: ignore[arg-type]  # checked by ClientSettings itself
        strict_answers=_word(env, "strict_answers", "no").lower() in ("1", "yes", "true", "on"),
        max_order_key=int(_number(env, "max_order_key", 63)),
        snap_answers=_word(env, "snap_answers", "signed"),  # type: ignore[arg-type]  # checked by ClientSettings itself
        retries=int(_number(env, "retries", 2)),
    )


def _word(env: Mapping[str, str], name: str, default: str) -> str:
    return _value(env, name) or default


def _number(env: Mapping[str, str], name: str, default: float) -> float:
    text = _value(env, name)
    try:
        return default if text is None else float(text)
    except ValueError:
        raise ConfigurationError(f"{_PREFIX}{name.upper()} must be a number.") from None
