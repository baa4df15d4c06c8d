"""Who the merchant is and how the client behaves; the same by arguments or by environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Final, Literal, cast

from paywright_runtime.argument_types import is_number, is_whole
from paywright_runtime.errors import ConfigurationError, InvalidArgument, MissingSetting
from paywright_runtime.signing.loading import load_signer, load_verifier
from paywright_runtime.signing.rsa import Signer, Verifier
from paywright_runtime.tracebacks import strip_frames

if TYPE_CHECKING:
    from paywright_runtime.environment import Environment
    from paywright_runtime.signing.snap import SnapSignature

__all__ = ["Merchant", "SnapAnswers", "Validation", "client_settings_from", "merchant_from"]

Validation = Literal["refuse", "report", "off"]
SnapAnswers = Literal["signed", "unsigned"]

_VALIDATIONS: Final = ("refuse", "report", "off")
_SNAP_ANSWERS: Final = ("signed", "unsigned")

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
        gateway_keys: the gateway's public keys, the same forms; several may be live at once. Or a `Verifier` of your own.
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

    @strip_frames
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
        if not (isinstance(app_id, str) and app_id.strip()):
            raise _refused("app_id is the text by which the gateway knows the merchant's app, and not empty")
        self.app_id = app_id
        self.merchant_no = merchant_no
        self.member_id = member_id
        self.sp_merchant_no = sp_merchant_no
        self.merchant_id = merchant_id
        self.snap_partner_id = snap_partner_id
        self.snap_channel_id = snap_channel_id
        self.snap_origin = snap_origin
        self.snap_signature = snap_signature
        for name in NUMBERS:
            if not isinstance(getattr(self, name), (str, NoneType)):
                raise _refused(f"{name} is text, as the gateway gave it: a number would lose its zeros")
        self.signer: Signer = load_signer(private_key, name="private_key")
        self.verifier: Verifier = load_verifier(gateway_keys, own=self.signer)

    def __repr__(self) -> str:
        return f"Merchant(app_id={self.app_id!r}, merchant_no={self.merchant_no!r})"


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
    return _PLACES.get(name, f"Merchant({name}=...) or PAYWRIGHT_{name.upper()}")


def missing(names: Sequence[str]) -> MissingSetting:
    """Build the error for settings that are not there, all at once."""
    return MissingSetting(names=names, places={name: place_of(name) for name in names})


@strip_frames
def merchant_from(env: Mapping[str, str] | None = None) -> tuple[Merchant, str]:
    """Return the merchant and the base URL that `PAYWRIGHT_*` names describe.

    Raises `MissingSetting` with all that is missing, `ConfigurationError` for a value that cannot be read, or `KeyProblem`.
    """
    from paywright_runtime.environment import Environment

    names = Environment(env)
    base_url, app_id = names.text("base_url"), names.text("app_id")
    private = names.key_sources("private_key", "private_key_file")
    public = names.key_sources("gateway_keys", "gateway_key_files")
    found = {"base_url": base_url, "app_id": app_id, "private_key": private, "gateway_keys": public}
    absent = [name for name, value in found.items() if not value]
    if absent or base_url is None or app_id is None:
        raise missing(absent)
    if len(private) > 1:
        raise ConfigurationError(
            "Nothing was sent: PAYWRIGHT_PRIVATE_KEY and PAYWRIGHT_PRIVATE_KEY_FILE hold more than one private key. Leave one."
        )
    merchant = Merchant(app_id=app_id, private_key=private[0], gateway_keys=public)
    for name in NUMBERS[1:]:
        setattr(merchant, name, names.text(name))
    merchant.snap_signature = _snap_signature(names, merchant.signer)
    return merchant, base_url


def _snap_signature(names: Environment, signer: Signer) -> SnapSignature | None:
    kind = names.word("snap_signature", ("asymmetric", "symmetric"), "")
    if not kind:
        return None
    from paywright_runtime.signing.snap import SnapAsymmetric, SnapSymmetric

    if kind == "asymmetric":
        return SnapAsymmetric(signer)
    secret, token = names.text("snap_client_secret"), names.text("snap_access_token")
    absent = [name for name, value in (("snap_client_secret", secret), ("snap_access_token", token)) if not value]
    if secret is None or token is None:
        raise MissingSetting(names=absent, places={name: f"PAYWRIGHT_{name.upper()}" for name in absent})
    return SnapSymmetric(secret, token)


class ClientSettings:
    """How a client behaves, checked: what `Client(...)` takes besides the address and the merchant."""

    __slots__ = (
        "ca_file",
        "max_order_key",
        "paths",
        "proxy",
        "retries",
        "signing_threads",
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
        signing_threads: int = 0,
    ) -> None:
        if not (is_number(timeout) and timeout > 0):
            raise _refused("timeout is a number of seconds, an int or a float above 0")
        if validation not in _VALIDATIONS:
            raise _refused("validation is 'refuse', 'report' or 'off'")
        if snap_answers not in _SNAP_ANSWERS:
            raise _refused("snap_answers is 'signed' or 'unsigned'")
        if not isinstance(strict_answers, bool):
            raise _refused("strict_answers is True or False")
        if not (is_whole(max_order_key) and max_order_key >= 1):
            raise _refused("max_order_key is a whole number of characters, at least 1")
        if not (is_whole(retries) and retries >= 0):
            raise _refused("retries is how often a call is tried again, a whole number, 0 or more")
        if not (is_whole(signing_threads) and signing_threads >= 0):
            raise _refused("signing_threads is a whole number of threads, 0 or more")
        if not isinstance(ca_file, (Path, str, NoneType)):
            raise _refused("ca_file is a Path or the text of one")
        if not isinstance(paths, (Mapping, NoneType)):
            raise _refused('paths maps operations to addresses: {"cases.inquire": "/..."}')
        for operation, path in (paths or {}).items():
            if not (isinstance(path, str) and path.startswith("/") and all("!" <= c <= "~" for c in path)):
                raise _refused(f"paths[{operation!r}] must begin with / and hold printable ASCII without spaces")
        self.timeout = timeout
        self.paths = dict(paths or {})
        self.proxy = proxy
        self.ca_file = ca_file
        self.validation = validation
        self.strict_answers = strict_answers
        self.max_order_key = max_order_key
        self.snap_answers = snap_answers
        self.retries = retries
        self.signing_threads = signing_threads


def client_settings_from(env: Mapping[str, str] | None = None) -> ClientSettings:
    """Return the settings that `PAYWRIGHT_*` names describe. Raises `ConfigurationError` or `InvalidArgument` for what they cannot be."""
    from paywright_runtime.environment import Environment

    names = Environment(env)
    return ClientSettings(
        timeout=names.number("timeout", 30.0),
        paths=names.addresses("paths"),
        proxy=names.text("proxy"),
        ca_file=names.text("ca_file"),
        validation=cast(Validation, names.word("validation", _VALIDATIONS, "refuse")),
        strict_answers=names.flag("strict_answers"),
        max_order_key=names.whole("max_order_key", 63),
        snap_answers=cast(SnapAnswers, names.word("snap_answers", _SNAP_ANSWERS, "signed")),
        retries=names.whole("retries", 2),
        signing_threads=names.whole("signing_threads", 0),
    )


def _refused(what: str) -> InvalidArgument:
    return InvalidArgument(f"Nothing was sent: {what}.")
