"""Cases: what a client calls as `client.cases`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright.operations import CASES_INQUIRE, CASES_SEARCH
from paywright_runtime.tracebacks import strip_frames

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paywright.models.cases import BizCase, Case
    from paywright_runtime.client.operation_refs import Call


class Cases:
    """Cases: search, inquire [4.9, 4.10]."""

    __slots__ = ("_call",)

    def __init__(self, call: Call) -> None:
        self._call = call

    @strip_frames
    def search(
        self,
        *,
        case_id: str,
        extra: Mapping[str, object] | None = None,
    ) -> Case:
        """Ask for a chargeback case.

        Args:
            case_id: at most 64 characters.
            extra: members newer than the contract, by wire name.

        Returns:
            Case: A chargeback case.

        Raises:
            ContractViolation: an argument breaks the contract; all violations at once, nothing was sent.
            NotSent: no byte of the body left; safe to repeat.
            NoAnswer: no verified answer came; safe to repeat.
            GatewayError: a verified refusal.
            UnreadableAnswer: a verified success that lacks a required member.

        See section 4.9 of the specification.
        """
        return self._call(
            CASES_SEARCH,
            {
                "caseId": case_id,
            },
            extra,
        )

    @strip_frames
    def inquire(
        self,
        *,
        case_id: str,
        extra: Mapping[str, object] | None = None,
    ) -> BizCase:
        """Ask for a chargeback case, in the bizType form.

        Its address is not shown: set Client(paths={"cases.inquire": "/..."}).

        Args:
            case_id: at most 64 characters.
            extra: members newer than the contract, by wire name.

        Returns:
            BizCase: A chargeback case, in the bizType form.

        Raises:
            ContractViolation: an argument breaks the contract; all violations at once, nothing was sent.
            NotSent: no byte of the body left; safe to repeat.
            NoAnswer: no verified answer came; safe to repeat.
            GatewayError: a verified refusal.
            UnreadableAnswer: a verified success that lacks a required member.

        See section 4.10 of the specification.
        """
        return self._call(
            CASES_INQUIRE,
            {
                "caseId": case_id,
            },
            extra,
        )
