"""Settings of the merchant and the client, from arguments or from environment variables such as `PAYWRIGHT_BASE_URL`.

A setting with a misspelled name or value is refused, not ignored. Messages name the setting and its type, never its
value, which may be a misplaced key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import environ
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple, TypeVar, cast, get_args

from paywright_runtime.argument_types import is_number, is_whole
from paywright_runtime.errors import ConfigurationError, InvalidArgument, MissingSetting
from paywright_runtime.json_value import by_value
from paywright_runtime.redaction import redacted
from paywright_runtime.signing.rsa import Signer, Verifier, load_signer, load_verifier
from paywright_runtime.tracebacks import strip_frames

if TYPE_CHECKING:
    from paywright_runtime.signing.bank_signatures import CallSignature, SecretSignature

Validation = Literal["refuse", "report", "off"]

M = TypeVar("M", bound="BaseMerchant")

# Kubernetes sets these in every container if a service is named like the package.
_OF_KUBERNETES: Final = re.compile(
    r"(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)"
).fullmatch

_FLAGS: Final = {**dict.fromkeys(("1", "yes", "true", "on"), True), **dict.fromkeys(("0", "no", "false", "off"), False)}
_VALIDATIONS: Final = get_args(Validation)
_NUMBER: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?").fullmatch
_OPERATION: Final = re.compile(r"[a-z0-9_]{1,64}\.[a-z0-9_]{1,64}").fullmatch


def prefix_of(package: str) -> str:
    """Return the prefix of a package's environment variables: `PAYWRIGHT_`."""
    return f"{package.replace('.', '_').upper()}_"


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

    def _load(
        self, private_key: Path | str | bytes | Signer, gateway_keys: Sequence[Path | str | bytes] | Verifier
    ) -> None:
        """Check the numbers, which have been set, convert them to plain text, and load the keys."""
        for name in self.NUMBERS:
            value = by_value(getattr(self, name))
            if name in self.REQUIRED and not (isinstance(value, str) and value.strip()):
                raise _refused(f"{name} is the text by which the gateway knows the merchant, and not empty")
            if not isinstance(value, (str, NoneType)):
                raise _refused(f"{name} is text, as the gateway gave it: a number would lose its zeros")
            setattr(self, name, value)
        self.signer: Signer = load_signer(private_key, name="private_key")
        self.verifier: Verifier = load_verifier(gateway_keys, own=self.signer)

    def numbers(self) -> dict[str, str]:
        """Return the known numbers of the merchant's identity, by name."""
        known = {name: getattr(self, name) for name in self.IDENTITY}
        return {name: str(value) for name, value in known.items() if value is not None}

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.IDENTITY[:2])
        return f"{type(self).__name__}({shown})"


class Environment:
    """Reads the settings of a package from the environment, or from `names`. Blank values count as absent.

    Every method takes the name of a setting, and raises `ConfigurationError` for a value that it cannot read. The constructor
    raises it for unknown names with the package's prefix.
    """

    __slots__ = ("_known", "_names")

    def __init__(self, merchant: type[BaseMerchant], names: Mapping[str, str] | None = None) -> None:
        self._names = environ if names is None else names
        prefix = prefix_of(merchant.PACKAGE)
        self._known = {name: prefix + name.upper() for name in (*COMMON, *merchant.SETTINGS)}
        known = {*self._known.values()}
        given = (name for name, value in self._names.items() if name.startswith(prefix) and value.strip())
        unknown = sorted(name for name in given if name not in known and not _OF_KUBERNETES(name[len(prefix) :]))
        if unknown:
            raise _unknown(unknown, prefix, known)

    def name_of(self, name: str) -> str:
        """Return the name of a setting in the environment."""
        return self._known[name]

    def text(self, name: str) -> str | None:
        """Return the value without surrounding blanks, or None. A number of the merchant has no quotes, and shows itself."""
        text = self._names.get(self._known[name], "").strip() or None
        if text is not None and name not in COMMON and (not text.isprintable() or text[0] == text[-1] in ("'", '"')):
            why = "is in quotes, which docker's --env-file keeps, or has a character that does not show itself"
            raise self._refused(name, why)
        return text

    def word(self, name: str, words: tuple[str, ...]) -> str | None:
        """Return one of `words`, which must match exactly, or None."""
        text = self.text(name)
        if text is not None and text not in words:
            raise self._refused(name, f"is none of {', '.join(words)}")
        return text

    def flag(self, name: str) -> bool:
        """Return whether a setting is on; False if it is absent."""
        text = self.text(name)
        if text is not None and text.lower() not in _FLAGS:
            raise self._refused(name, f"is none of {', '.join(_FLAGS)}")
        return text is not None and _FLAGS[text.lower()]

    def number(self, name: str) -> float:
        """Return a number in plain digits, possibly with a decimal point; an int without one."""
        text = self.text(name) or ""
        if _NUMBER(text) is None:
            raise self._refused(name, "is not a number such as 30")
        return int(text) if text.isdigit() else float(text)

    def addresses(self, name: str) -> dict[str, str]:
        """Return `operation=/path` pairs separated by commas, each operation once."""
        found: dict[str, str] = {}
        for part in self._parts(name):
            operation, _, address = (piece.strip() for piece in part.partition("="))
            if _OPERATION(operation) is None or not address or operation in found:
                raise self._refused(
                    name,
                    "has a part that is not like cases.inquire=/address, or names an operation twice",
                )
            found[operation] = address
        return found

    def key_sources(self, texts: str, files: str) -> list[Path | str]:
        """Return keys from two names: texts separated by commas, and paths of files separated by commas."""
        return [*self._parts(texts), *map(Path, self._parts(files))]

    def _parts(self, name: str) -> list[str]:
        return [part for part in map(str.strip, (self.text(name) or "").split(",")) if part]

    def _refused(self, name: str, why: str) -> ConfigurationError:
        return ConfigurationError(f"Nothing was sent: {self._known[name]} {why}. Correct it or leave it out.")


class Setting(NamedTuple):
    """A setting of a client: how it is read from the environment, and the values that it may have, with words for them."""

    read: Callable[[Environment, str], object]
    fits: Callable[[object], bool]
    what: str


def _from(least: int) -> Callable[[object], bool]:
    return lambda value: is_whole(value) and value >= least


CLIENT: Final[Mapping[str, Setting]] = {
    "timeout": Setting(Environment.number, lambda value: is_number(value) and value > 0, "a number of seconds, an int or a float above 0"),
    "validation": Setting(lambda names, name: names.word(name, _VALIDATIONS), lambda value: value in _VALIDATIONS, "'refuse', 'report' or 'off'"),
    "unsigned_answers": Setting(Environment.flag, lambda value: isinstance(value, bool), "True or False"),
    "strict_answers": Setting(Environment.flag, lambda value: isinstance(value, bool), "True or False"),
    "retries": Setting(Environment.number, _from(0), "how often a call is tried again, a whole number, 0 or more"),
    "pool_size": Setting(Environment.number, _from(1), "how many connections are in use at once, a whole number, 1 or more"),
    "signing_threads": Setting(Environment.number, _from(0), "a whole number of threads, 0 or more"),
    "ca_file": Setting(Environment.text, lambda value: isinstance(value, (Path, str, NoneType)), "a Path or the text of one"),
    "proxy": Setting(Environment.text, lambda value: isinstance(value, (str, NoneType)), "the text of a URL"),
    "paths": Setting(Environment.addresses, lambda value: isinstance(value, Mapping), 'a mapping of operations to addresses: {"cases.inquire": "/..."}'),
}  # fmt: skip
"""The settings of a client, but for its address and its merchant. `ClientCore` has their types, defaults and descriptions."""

# All settings except those of the contract's merchant. Clients, receivers and commands share one environment, so each of them
# accepts the settings of the others.
COMMON: Final = (
    "base_url", "private_key", "private_key_file", "gateway_keys", "gateway_key_files", *CLIENT,
    "sign_answers", "log_tracebacks", "debug",
)  # fmt: skip


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
    numbers = {name: names.text(name) for name in kind.NUMBERS}
    merchant = cast("Callable[..., M]", kind)(**numbers, private_key=private[0], gateway_keys=public)
    for name, forms in kind.CHOICES.items():
        setattr(merchant, name, _chosen(names, name, forms, merchant.signer))
    return merchant, base_url


def _chosen(names: Environment, setting: str, forms: Mapping[str, str], signer: Signer) -> CallSignature | None:
    """Return the signature of the form that the setting names; None without the setting."""
    word = names.word(setting, tuple(forms))
    if word is None:
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
    """Return the client's settings that the environment of a merchant's class has. Raises `ConfigurationError`."""
    names = Environment(kind, env)
    return {name: setting.read(names, name) for name, setting in CLIENT.items() if names.text(name) is not None}


def _unknown(names: list[str], prefix: str, known: Iterable[str]) -> ConfigurationError:
    from difflib import get_close_matches

    said = []
    for name in names:
        near = get_close_matches(name.upper(), known, 1, 0.8)
        said.append(f"{redacted(name, 64)} is no setting{f' (did you mean {near[0]}?)' if near else ''}")
    return ConfigurationError(
        f"Nothing was sent: {', '.join(said)}. Correct the name. Do not begin the names of other variables with {prefix}."
    )


def _refused(what: str) -> InvalidArgument:
    return InvalidArgument(f"Nothing was sent: {what}.")
