"""The settings of an audit, checked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from paywright.contract import CONTRACT
from paywright_audit.cross_exchange.rules.timing import SLACK
from paywright_audit.input.errors import AuditSetupError
from paywright_audit.input.tables.table_schema import Columns, check_columns
from paywright_audit.judging.findings import Severity
from paywright_audit.judging.signatures import Keys
from paywright_audit.judging.values import Showing
from paywright_runtime.signing.keys import load_public_key

AuditKey: TypeAlias = "RSAPublicKey | tuple[str, RSAPublicKey]"
"""A public key, alone or with the name of the one merchant that it is for: `appId`, `merchantNo` or another name."""


REQUIRED: Final = ("exchanges", "bodies", "signatures", "times")
"""The parts that must be judged, unless a setting requires less."""
_KEYS: Final = ("merchant_keys", "gateway_keys")


@dataclass(frozen=True, kw_only=True)
class AuditSettings:
    """Settings of an audit beside its traffic: keys, names, limits, and how findings are judged. Its `repr` shows no key.

    It can be pickled, for other processes.

    Args:
        merchant_keys: public keys of merchants, who sign requests.
        gateway_keys: public keys of the gateway, which signs responses and notifications.
        paths: by operation, a path that differs from the specification's, such as `{"cases.inquire": "/api/cases"}`.
        columns: names of our columns in tables, such as `{"at": "captured_at", "request_body": "req.raw"}`; None for a column
            that they do not have. `paywright audit --schema` prints our columns.
        config: severities by rule, from `load_config`.
        baseline: known findings, from `load_baseline`; only others fail.
        fail_on: the least severity that counts as failing in the totals.
        require: the parts that must be judged: some of `exchanges`, `bodies`, `signatures` and `times`.
        clock_slack: seconds, from 0 to 86,400, by which the times of the capture may be wrong.
        complete: the capture has every exchange of its merchants in its time: others did not happen. Then rules that follow from
            silence are errors, too (docs/audit.md, "What is certain").
        evidence: the findings of one kind in one place that are kept, the first by time, from 0 to 1,000; counts are always exact.
        showing: the values of messages that the report and the findings contain.

    Raises:
        AuditSetupError: an argument is out of its bounds.
        InvalidArgument: `paths` names an operation that the contract does not have.
    """

    merchant_keys: Iterable[AuditKey] = field(default=(), repr=False)
    gateway_keys: Iterable[AuditKey] = field(default=(), repr=False)
    paths: Mapping[str, str] = field(default_factory=dict)
    columns: Columns = field(default_factory=dict)
    config: Mapping[str, Severity] = field(default_factory=dict)
    baseline: Mapping[str, int] | None = None
    fail_on: Severity = Severity.WARNING
    require: Collection[str] = REQUIRED
    clock_slack: float = SLACK
    complete: bool = False
    evidence: int = 10
    showing: Showing = Showing.NOTHING

    def __post_init__(self) -> None:
        for name in _KEYS:
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

    def keys(self) -> Keys:
        """Return the keys as they judge signatures."""
        merchant, gateway = _by_name(self.merchant_keys), _by_name(self.gateway_keys)
        return Keys(merchant.pop("", ()), gateway.pop("", ()), merchant, gateway)

    def __getstate__(self) -> dict[str, object]:
        pem = Encoding.PEM, PublicFormat.SubjectPublicKeyInfo
        both: dict[str, object] = {
            side: [(name, key.public_bytes(*pem)) for name, key in _named(getattr(self, side))] for side in _KEYS
        }
        return self.__dict__ | both

    def __setstate__(self, state: dict[str, Any]) -> None:
        both = {side: tuple((name, load_public_key(pem)) for name, pem in state[side]) for side in _KEYS}
        self.__dict__.update(state | both)


DEFAULT: Final = AuditSettings()


def _named(keys: Iterable[AuditKey]) -> Iterator[tuple[str, RSAPublicKey]]:
    return (one if isinstance(one, tuple) else ("", one) for one in keys)


def _by_name(keys: Iterable[AuditKey]) -> dict[str, Sequence[RSAPublicKey]]:
    found: dict[str, list[RSAPublicKey]] = {}
    for name, key in _named(keys):
        found.setdefault(name, []).append(key)
    return {**found}
