"""Accounts: what an awaited client calls as `client.accounts`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright_runtime.client.calls import OperationRef
from paywright_runtime.tracebacks import strip_frames_async

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from paywright.models.accounts import AuthorizedAccountList, ProductType
    from paywright_runtime.client.calls import AsyncCall

_LIST_AUTHORIZED: OperationRef[AuthorizedAccountList] = OperationRef("accounts.list_authorized")


class Accounts:
    """Accounts: list_authorized [4.16]."""

    __slots__ = ("_call",)

    def __init__(self, call: AsyncCall) -> None:
        self._call = call

    @strip_frames_async
    async def list_authorized(
        self,
        *,
        product_type_list: Sequence[ProductType | Literal["payin", "payout", "collect"]],
        extra: Mapping[str, object] | None = None,
    ) -> AuthorizedAccountList:
        """List the funds accounts that are authorised for product categories.

        `paywright.Client.accounts.list_authorized` documents the arguments, the rules and the errors.
        """
        return await self._call(
            _LIST_AUTHORIZED,
            {
                "productTypeList": product_type_list,
            },
            extra,
        )
