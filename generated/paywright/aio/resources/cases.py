"""Cases: what an awaited client calls as `client.cases`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright_runtime.client.calls import OperationRef
from paywright_runtime.tracebacks import strip_frames_async

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paywright.models.cases import BizCase, Case
    from paywright_runtime.client.calls import AsyncCall

_SEARCH: OperationRef[Case] = OperationRef("cases.search")
_INQUIRE: OperationRef[BizCase] = OperationRef("cases.inquire")


class Cases:
    """Cases: search, inquire [4.9, 4.10]."""

    __slots__ = ("_call",)

    def __init__(self, call: AsyncCall) -> None:
        self._call = call

    @strip_frames_async
    async def search(
        self,
        *,
        case_id: str,
        extra: Mapping[str, object] | None = None,
    ) -> Case:
        """Ask for a chargeback case.

        `paywright.Client.cases.search` documents the arguments, the rules and the errors.
        """
        return await self._call(
            _SEARCH,
            {
                "caseId": case_id,
            },
            extra,
        )

    @strip_frames_async
    async def inquire(
        self,
        *,
        case_id: str,
        extra: Mapping[str, object] | None = None,
    ) -> BizCase:
        """Ask for a chargeback case, in the bizType form.

        `paywright.Client.cases.inquire` documents the arguments, the rules and the errors.
        """
        return await self._call(
            _INQUIRE,
            {
                "caseId": case_id,
            },
            extra,
        )
