"""Settings of the merchant and the client, from arguments or from the environment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, cast

from paywright_runtime.environment import CLIENT, Environment, prefix_of
from paywright_runtime.errors import ConfigurationError, InvalidArgument, MissingSetting
from paywright_runtime.json_value import by_value
from paywright_runtime.signing.rsa import Signer, Verifier, load_signer, load_verifier
from paywright_runtime.tracebacks import strip_frames

if TYPE_CHECKING:
    from paywright_runtime.signing.bank_signatures import CallSignature, SecretSignature

Validation = Literal["refuse", "report", "off"]

M = TypeVar("M", bound="BaseMerchant")


class BaseMerchant:
    """Base of the generated `Merchant`: keys, and the numbers that the contract lists.

    Of the class: `NUMBERS` are texts, each with an environment variable; `REQUIRED` ones must be given; `IDENTITY` ones say who
    the merchant is: stored calls belong to one identity. `CHOICES` are the signers that the merchant chooses, with the classes
    of their forms; `SETTINGS` are the names of all of these in the environment.
    """

    __slots__ = ("signer", "verifier")

    PACKAGE: ClassVar[str]
    NUMBERS: ClassVar[tuple[str, ...]]
    REQUIRED: ClassVar[tuple[str, ...]]
    IDENTITY: ClassVar[tuple[str, ...]]
    CHOICES: ClassVar[Mapping[str, Mapping[str, str]]]
    SETTINGS: ClassVar[tuple[str, ...]]

    signer: Signer
    verifier: Verifier

    def _load(
        self, private_key: Path | str | bytes | Signer, gateway_keys: Sequence[Path | str | bytes] | Verifier
    ) -> None:
        """Check the numbers, which have been set, convert them to plain text, and load the keys."""
        for name in self.NUMBERS:
            setattr(self, name, by_value(getattr(self, name)))
        for name in self.REQUIRED:
            value = getattr(self, name)
            if not (isinstance(value, str) and value.strip()):
                raise _refused(f"{name} is the text by which the gateway knows the merchant, and not empty")
        for name in self.NUMBERS:
            if not isinstance(getattr(self, name), (str, NoneType)):
                raise _refused(f"{name} is text, as the gateway gave it: a number would lose its zeros")
        self.signer = load_signer(private_key, name="private_key")
        self.verifier = load_verifier(gateway_keys, own=self.signer)

    def numbers(self) -> dict[str, str]:
        """Return the known numbers of the merchant's identity, by name."""
        known = {name: getattr(self, name) for name in self.IDENTITY}
        return {name: str(value) for name, value in known.items() if value is not None}

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.IDENTITY[:2])
        return f"{type(self).__name__}({shown})"


# The environment


def place_of(name: str, merchant: type[BaseMerchant]) -> str:
    """Return the places where a setting can be set, as text for a message."""
    front = prefix_of(merchant.PACKAGE)
    if name.startswith("paths["):
        operation = name[len("paths[") : -1]
        return f'Client(paths={{"{operation}": "/..."}}) or {front}PATHS="{operation}=/..."; its address is not shown'
    if name in merchant.CHOICES:
        classes = " or ".join(f"{path.rpartition(':')[2]}(...)" for path in merchant.CHOICES[name].values())
        return f"Merchant({name}={classes}), or {front}{name.upper()}"
    places = {
        "base_url": f"Client(base_url=...) or {front}BASE_URL",
        "private_key": f"Merchant(private_key=...), {front}PRIVATE_KEY (key text) or {front}PRIVATE_KEY_FILE",
        "gateway_keys": f"Merchant(gateway_keys=...), {front}GATEWAY_KEYS (key texts, commas between) or {front}GATEWAY_KEY_FILES",
    }
    return places.get(name, f"Merchant({name}=...) or {front}{name.upper()}")


def missing(names: Sequence[str], merchant: type[BaseMerchant]) -> MissingSetting:
    """Build the error that lists all missing settings."""
    return MissingSetting(names=tuple(names), places={name: place_of(name, merchant) for name in names})


@strip_frames
def merchant_from(kind: type[M], env: Mapping[str, str] | None = None, signer: Signer | None = None) -> tuple[M, str]:
    """Return the merchant and the base URL from environment variables such as `PAYWRIGHT_BASE_URL`.

    `kind` is the generated class; a `signer` takes the place of the private key. Raises `MissingSetting` with all missing
    settings, `ConfigurationError` for a value that cannot be read, or `KeyProblem`.
    """
    names = Environment(kind, env)
    base_url = names.text("base_url")
    required = {name: names.text(name) for name in kind.REQUIRED}
    private: list[Path | str | Signer] = [*names.key_sources("private_key", "private_key_file")]
    private += [] if signer is None else [signer]
    public = names.key_sources("gateway_keys", "gateway_key_files")
    found = {"base_url": base_url, **required, "private_key": private, "gateway_keys": public}
    absent = [name for name, value in found.items() if not value]
    if absent or base_url is None:
        raise missing(absent, kind)
    if len(private) > 1:
        key = names.name_of("private_key")
        also = "" if signer is None else " and a signer"
        raise ConfigurationError(
            f"Nothing was sent: {key} and {key}_FILE{also} are more than one private key. Leave one."
        )
    merchant = cast("Callable[..., M]", kind)(**required, private_key=private[0], gateway_keys=public)
    for name in kind.NUMBERS:
        if name not in required:
            setattr(merchant, name, names.text(name))
    for name, forms in kind.CHOICES.items():
        setattr(merchant, name, _chosen(names, name, forms, merchant.signer))
    return merchant, base_url


def _chosen(names: Environment, setting: str, forms: Mapping[str, str], signer: Signer) -> CallSignature | None:
    """Return the signature of the form that the setting names; None without the setting."""
    word = names.word(setting, tuple(forms), "")
    if not word:
        return None
    from importlib import import_module

    from paywright_runtime.signing.bank_signatures import KeySignature

    module, _, name = forms[word].partition(":")
    form = cast("type[KeySignature | SecretSignature]", getattr(import_module(module), name))
    if issubclass(form, KeySignature):
        return form(signer)
    front = setting.removesuffix("signature")
    secrets = {f"{front}{each}": names.text(f"{front}{each}") for each in ("client_secret", "access_token")}
    absent = [each for each, value in secrets.items() if not value]
    if absent:
        raise MissingSetting(names=tuple(absent), places={each: names.name_of(each) for each in absent})
    return form(*(value or "" for value in secrets.values()))


@dataclass(slots=True, kw_only=True)
class ClientSettings:
    """Checked settings of a client: the arguments of `Client(...)` besides the address and the merchant."""

    timeout: float
    paths: Mapping[str, str]
    proxy: str | None
    ca_file: Path | str | None
    validation: Validation
    strict_answers: bool
    unsigned_answers: bool
    retries: int
    pool_size: int
    signing_threads: int

    def __post_init__(self) -> None:
        for name, setting in CLIENT.items():
            if not setting.fits(getattr(self, name)):
                raise _refused(f"{name} is {setting.what}")
        self.paths = dict(self.paths)
        for operation, path in self.paths.items():
            if not (isinstance(path, str) and path.startswith("/") and all("!" <= c <= "~" for c in path)):
                raise _refused(f"paths[{operation!r}] must begin with / and hold printable ASCII without spaces")


def client_settings_from(kind: type[BaseMerchant], env: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the client's settings that the environment has; `kind` is the merchant's class, which gives their prefix.

    Raises `ConfigurationError` for values that cannot be read.
    """
    names = Environment(kind, env)
    return {name: setting.read(names, name) for name, setting in CLIENT.items() if names.text(name) is not None}


def _refused(what: str) -> InvalidArgument:
    return InvalidArgument(f"Nothing was sent: {what}.")
