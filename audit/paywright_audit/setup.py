"""What an audit is given: keys, paths and settings, checked, and in a form that can be passed to other processes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import NamedTuple, TypeAlias

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from paywright.contract import CONTRACT
from paywright_audit.build_report import REQUIRED, ReportPolicy
from paywright_audit.config import Config
from paywright_audit.cross_exchange.timing import SLACK
from paywright_audit.input.errors import AuditSetupError
from paywright_audit.input.table_schema import Columns, check_columns
from paywright_audit.judging.findings import Severity
from paywright_audit.judging.signatures import Keys
from paywright_audit.judging.values import Showing
from paywright_audit.partial_result import Settings
from paywright_runtime.signing.keys import load_public_key

__all__ = ["AuditInput", "AuditKey", "audit_input", "report_policy"]

AuditKey: TypeAlias = "RSAPublicKey | tuple[str, RSAPublicKey]"
"""A public key, alone or with the name of the one merchant it holds for: `appId`, `merchantNo` or another name of it."""


class AuditInput(NamedTuple):
    """The keys, paths and settings of an audit. It can be pickled; its `repr` shows no key.

    Keys are PEM, each with the merchant it is for ("": for all). `paths` are pairs of an operation and its path, and
    `columns` pairs of a column of ours and its name in the tables that are read.
    `findings` says whether every finding is kept, for a table of them.
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


def audit_input(
    files: Sequence[str] = (),
    *,
    merchant_keys: Iterable[AuditKey] = (),
    gateway_keys: Iterable[AuditKey] = (),
    paths: Mapping[str, str] | None = None,
    columns: Columns | None = None,
    clock_slack: float = SLACK,
    evidence: int = 10,
    seed: str = "",
    showing: Showing = Showing.NOTHING,
    findings: bool = False,
) -> AuditInput:
    """Check the arguments of an audit, which are those of `audit_files`, and return what `judge` needs.

    `files` are the names of the inputs, as the report lists them; () lists those that the exchanges name. Raises
    `AuditSetupError` and, if `paths` names an operation that the contract does not have, `InvalidArgument`.
    """
    if not 0 <= evidence <= 1000:
        raise AuditSetupError("evidence is a number from 0 to 1000")
    if not 0 <= clock_slack <= 86400:
        raise AuditSetupError("the clock slack is a number of seconds from 0 to 86400")
    for name, path in (paths or {}).items():
        CONTRACT.operation(name)  # raises InvalidArgument, with the nearest names
        if not path.startswith("/"):
            raise AuditSetupError(f"the path of {name} does not begin with /")
    check_columns(columns or {})
    settings = Settings(tuple(files), evidence, seed, showing, clock_slack)
    return AuditInput(
        settings,
        tuple(_pems(merchant_keys)),
        tuple(_pems(gateway_keys)),
        tuple(sorted((paths or {}).items())),
        tuple((columns or {}).items()),
        findings,
    )


def report_policy(
    *,
    config: Config | None = None,
    baseline: Mapping[str, int] | None = None,
    fail_on: Severity = Severity.WARNING,
    require: Collection[str] = REQUIRED,
    today: date | None = None,
) -> ReportPolicy:
    """Check how findings are to be judged, as in `audit_files`, and return what `merge` needs. Raises `AuditSetupError`."""
    if not set(require) <= set(REQUIRED):
        raise AuditSetupError(f"what must have been judged is some of {', '.join(REQUIRED)}")
    required = tuple(one for one in REQUIRED if one in require)
    return ReportPolicy(config or Config(), baseline, fail_on, today or datetime.now(UTC).date(), required)


def _pems(keys: Iterable[AuditKey]) -> Iterator[tuple[str, bytes]]:
    for one in keys:
        name, key = one if isinstance(one, tuple) else ("", one)
        yield name, key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def _loaded(given: Sequence[tuple[str, bytes]]) -> dict[str, list[RSAPublicKey]]:
    found: dict[str, list[RSAPublicKey]] = {}
    for name, pem in given:
        found.setdefault(name, []).append(load_public_key(pem))
    return found
