"""The arguments of an audit: keys, paths and settings, checked, and in a form for other processes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Final, NamedTuple, TypeAlias

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from paywright.contract import CONTRACT
from paywright_audit.cross_exchange.rules.timing import SLACK
from paywright_audit.input.errors import AuditSetupError
from paywright_audit.input.tables.table_schema import Columns, check_columns
from paywright_audit.judging.findings import Severity
from paywright_audit.judging.signatures import Keys
from paywright_audit.judging.values import Showing
from paywright_audit.result.partial_result import Settings
from paywright_audit.settings.config import Config
from paywright_audit.settings.policy import REQUIRED, ReportPolicy
from paywright_runtime.signing.keys import load_public_key

AuditKey: TypeAlias = "RSAPublicKey | tuple[str, RSAPublicKey]"
"""A public key, alone or with the name of the one merchant that it is for: `appId`, `merchantNo` or another name."""


class AuditInput(NamedTuple):
    """The keys, paths and settings of an audit. It can be pickled; its `repr` shows no key.

    Keys are PEM, each with its merchant ("": for all). `paths` are pairs of an operation and its path, `columns` pairs of one of
    our columns and its name in the tables. `findings` is True if every finding is kept, to be written.
    """

    settings: Settings
    merchant: tuple[tuple[str, bytes], ...] = ()
    gateway: tuple[tuple[str, bytes], ...] = ()
    paths: tuple[tuple[str, str], ...] = ()
    columns: tuple[tuple[str, str | None], ...] = ()
    findings: bool = False

    def __repr__(self) -> str:
        return f"AuditInput({len(self.merchant)} merchant keys, {len(self.gateway)} gateway keys)"

    def keys(self) -> Keys:
        """Return the keys, loaded."""
        merchant, gateway = _loaded(self.merchant), _loaded(self.gateway)
        return Keys(merchant.pop("", ()), gateway.pop("", ()), merchant, gateway)


@dataclass(frozen=True, kw_only=True)
class AuditSettings:
    """Settings of an audit beside its traffic: keys, names, limits, and how findings are judged. Its `repr` shows no key.

    Args:
        merchant_keys: public keys of merchants, who sign requests.
        gateway_keys: public keys of the gateway, which signs responses and notifications.
        paths: by operation, a path that differs from the specification's, such as `{"cases.inquire": "/api/cases"}`.
        columns: names of our columns in tables, such as `{"at": "captured_at", "request_body": "req.raw"}`; None for a column
            that they do not have. `paywright audit --schema` prints our columns.
        config: severities and suppressions, from `load_config`.
        baseline: known findings, from `load_baseline`; only others fail.
        fail_on: the least severity that counts as failing in the totals.
        require: the parts that must be judged: some of `exchanges`, `bodies`, `signatures` and `times`.
        today: the day that decides which suppressions have expired; the current day in UTC by default.
        clock_slack: seconds, from 0 to 86,400, by which the times of the capture may be wrong.
        complete: the capture has every exchange of its merchants in its time: others did not happen. Then rules that follow from
            silence are errors, too (docs/audit.md, "What is certain").
        evidence: the most findings of one kind in one place that are kept, from 0 to 1,000; counts are always exact.
        seed: chooses which findings are kept, if there are more.
        showing: the values of messages that the report and the findings contain.

    Raises:
        AuditSetupError: an argument is out of its bounds.
        InvalidArgument: `paths` names an operation that the contract does not have.
    """

    merchant_keys: Iterable[AuditKey] = field(default=(), repr=False)
    gateway_keys: Iterable[AuditKey] = field(default=(), repr=False)
    paths: Mapping[str, str] = field(default_factory=dict)
    columns: Columns = field(default_factory=dict)
    config: Config = field(default_factory=Config)
    baseline: Mapping[str, int] | None = None
    fail_on: Severity = Severity.WARNING
    require: Collection[str] = REQUIRED
    today: date | None = None
    clock_slack: float = SLACK
    complete: bool = False
    evidence: int = 10
    seed: str = ""
    showing: Showing = Showing.NOTHING

    def __post_init__(self) -> None:
        for name in ("merchant_keys", "gateway_keys"):
            object.__setattr__(self, name, tuple(getattr(self, name)))  # an iterator could be read once
        if not 0 <= self.evidence <= 1000:
            raise AuditSetupError("evidence must be a number from 0 to 1000")
        if not 0 <= self.clock_slack <= 86400:
            raise AuditSetupError("the clock slack must be a number of seconds from 0 to 86400")
        for name, path in self.paths.items():
            CONTRACT.operation(name)  # raises InvalidArgument, with the nearest names
            if not path.startswith("/"):
                raise AuditSetupError(f"the path of {name} does not begin with /")
        check_columns(self.columns)
        if not set(self.require) <= set(REQUIRED):
            raise AuditSetupError(f"the required parts must be some of {', '.join(REQUIRED)}")

    def input(self, files: Sequence[str] = (), *, findings: bool = False) -> AuditInput:
        """Return the settings for every process. `files` are the inputs that the report lists; () lists those of the exchanges."""
        return AuditInput(
            Settings(tuple(files), self.evidence, self.seed, self.showing, self.clock_slack, self.complete),
            tuple(_pems(self.merchant_keys)),
            tuple(_pems(self.gateway_keys)),
            tuple(sorted(self.paths.items())),
            tuple(self.columns.items()),
            findings,
        )

    def policy(self) -> ReportPolicy:
        """Return the policy of the report."""
        required = tuple(one for one in REQUIRED if one in self.require)
        return ReportPolicy(self.config, self.baseline, self.fail_on, self.today or datetime.now(UTC).date(), required)


DEFAULT: Final = AuditSettings()


def _pems(keys: Iterable[AuditKey]) -> Iterator[tuple[str, bytes]]:
    for one in keys:
        name, key = one if isinstance(one, tuple) else ("", one)
        yield name, key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def _loaded(given: Sequence[tuple[str, bytes]]) -> dict[str, list[RSAPublicKey]]:
    found: dict[str, list[RSAPublicKey]] = {}
    for name, pem in given:
        found.setdefault(name, []).append(load_public_key(pem))
    return found
