"""Build signed requests from arguments, without I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from paywright_runtime import strict_json
from paywright_runtime.answer import Violation
from paywright_runtime.client.request_plan import Prepared, RequestPlan, add_extra, fill, header_pairs
from paywright_runtime.client.settings import BaseMerchant, ClientSettings
from paywright_runtime.contract.index import Contract, nearest
from paywright_runtime.contract.operation import Operation
from paywright_runtime.contract.validation import describe_violations, find_half_pairs
from paywright_runtime.contract.value_checks import Report
from paywright_runtime.errors import ContractViolation, InvalidArgument
from paywright_runtime.redaction import redacted
from paywright_runtime.transport.api import SignedRequest


class RequestBuilder:
    """Builds the requests of one merchant."""

    def __init__(self, contract: Contract, merchant: BaseMerchant, settings: ClientSettings) -> None:
        self.contract = contract
        self.merchant = merchant
        self.settings = settings
        self._plans: dict[str, RequestPlan] = {}

    def _plan(self, operation: Operation) -> RequestPlan:
        plan = self._plans.get(operation.name)
        if plan is None:
            plan = self._plans[operation.name] = RequestPlan(self.contract, operation, self.merchant, self.settings)
        return plan

    def check_names(self, operation: Operation, values: Mapping[str, object]) -> None:
        """Raise `InvalidArgument` for names in `values` that the operation does not take; nothing has been sent then."""
        taken = self._plan(operation).arguments
        strange = [name for name in values if name not in taken]
        if strange:
            named = ", ".join(redacted(str(name), 64) for name in strange)
            raise InvalidArgument(
                f"{operation.name} does not take {named}. Nothing was sent.{nearest(str(strange[0]), taken)} Members newer than "
                "the contract go into extra."
            )

    def build(
        self, operation: Operation, values: Mapping[str, object], extra: Mapping[str, object] | None, now: datetime
    ) -> Prepared:
        """Sign a request. Raises `MissingSetting` or `ContractViolation`; nothing has been sent then."""
        plan = self._plan(operation)
        report = Report()
        data = fill(plan.data, values, now, None, plan.at, report) if operation.data else None
        # With an envelope only the data changes from request to request; without one, the whole.
        if plan.envelope is not None and data is not None:
            body, at = data, plan.at
        else:
            body, at = fill(plan.root, values, now, data, "", report), ""
        inner = body if data is None else data
        if extra:
            add_extra(self.contract.struct(operation.data or operation.request), inner, extra)
        key = inner.get(operation.key) if operation.key else None
        useless = not self._check_key(operation, key, plan.at, report)
        warnings: list[Violation] = []
        if self.settings.validation != "off":
            plan.validate(body, at, report)
            plan.guards.check(inner, plan.at, report)
        if report.found:
            find_half_pairs(body, at, report)
            warnings = list(dict.fromkeys(describe_violations(self.contract, plan.message, report)))
            reported = self.settings.validation == "report" and not useless
            if not reported or any(found[1] == "type" for found in report.found):
                raise self._violation(operation, warnings)
        raw = self._write(operation, plan, body, at)
        question = hash((operation.name, key if type(key) is str else raw))
        if plan.envelope is not None:
            raw = plan.envelope.around(raw, now)
        headers = header_pairs(plan.headers, self.merchant.signer, plan.path, raw, now)
        request = SignedRequest(plan.path, headers, raw, question)
        echoes = [(name, text) for name in operation.echoes if type(text := inner.get(name)) is str and text]
        return Prepared(plan, operation, request, key if type(key) is str else None, echoes, inner, warnings)

    def _check_key(self, operation: Operation, key: object, at: str, report: Report) -> bool:
        """Return whether a key can settle its write. Report one that cannot: it is refused under all settings."""
        resolution, pointer = operation.resolution, f"{at}/{operation.key}"
        longest = None if resolution is None else resolution.longest_key
        if (key is None or (isinstance(key, str) and not key.strip())) and operation.write:
            report.add(
                pointer,
                "required",
                "is required and must not be blank: only with it can this call be repeated or settled",
            )
        elif resolution is not None and longest is not None and isinstance(key, str) and len(key) > longest:
            query = f"{resolution.operation} cannot ask for it"
            report.add(pointer, "max", f"has {len(key)} characters, and {query}: at most {longest} are sent")
        else:
            return True
        return False

    def _write(self, operation: Operation, plan: RequestPlan, body: dict[str, object], at: str) -> bytes:
        try:
            return strict_json.write(body, around=1 if at else 0)
        except strict_json.JsonProblem as problem:
            code = "type" if problem.why in ("float", "type", "key") else "json"
            report = Report()
            report.add(at + problem.pointer, code, f"cannot be written as JSON: {strict_json.WHY[problem.why]}")
        raise self._violation(operation, describe_violations(self.contract, plan.message, report))

    def _violation(self, operation: Operation, violations: Sequence[Violation]) -> ContractViolation:
        resolver = operation.resolver(by_key=True)
        return ContractViolation(
            operation=operation.name, violations=tuple(violations), write=operation.write, resolver=resolver
        )
