"""Snap: what an awaited client calls as `client.snap`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright_runtime.client.calls import OperationRef, UnknownWrite
from paywright_runtime.tracebacks import strip_frames_async

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from decimal import Decimal

    from paywright.models.snap import SnapAmount, SnapCancelled, SnapStatus
    from paywright_runtime.client.aio.resolver import AsyncResolve, AsyncResolver
    from paywright_runtime.client.calls import AsyncCall
    from paywright_runtime.errors import OutcomeUnknown

_STATUS: OperationRef[SnapStatus] = OperationRef("snap.status")
_CANCEL: OperationRef[SnapCancelled] = OperationRef("snap.cancel")
_RESOLVE: OperationRef[SnapStatus] = OperationRef("snap.status")


class Snap:
    """Snap: status, cancel [4.17]."""

    __slots__ = ("_call", "_resolve")

    def __init__(self, call: AsyncCall, resolve: AsyncResolve) -> None:
        self._call = call
        self._resolve = resolve

    @strip_frames_async
    async def status(
        self,
        *,
        original_partner_reference_no: str,
        service_code: str,
        original_reference_no: str | None = None,
        original_external_id: str | None = None,
        transaction_date: datetime | None = None,
        amount: SnapAmount | None = None,
        external_store_id: str | None = None,
        extra: Mapping[str, object] | None = None,
    ) -> SnapStatus:
        """Ask for the state of a bank-style payment.

        `paywright.Client.snap.status` documents the arguments, the rules and the errors.
        """
        return await self._call(
            _STATUS,
            {
                "originalPartnerReferenceNo": original_partner_reference_no,
                "serviceCode": service_code,
                "originalReferenceNo": original_reference_no,
                "originalExternalId": original_external_id,
                "transactionDate": transaction_date,
                "amount": amount,
                "externalStoreId": external_store_id,
            },
            extra,
        )

    @strip_frames_async
    async def cancel(
        self,
        *,
        original_partner_reference_no: str,
        original_reference_no: str | None = None,
        original_external_id: str | None = None,
        sub_merchant_id: str | None = None,
        reason: str | None = None,
        external_store_id: str | None = None,
        amount: SnapAmount | None = None,
        extra: Mapping[str, object] | None = None,
    ) -> SnapCancelled:
        """Cancel a bank-style payment.

        `paywright.Client.snap.cancel` documents the arguments, the rules and the errors.
        """
        return await self._call(
            _CANCEL,
            {
                "originalPartnerReferenceNo": original_partner_reference_no,
                "originalReferenceNo": original_reference_no,
                "originalExternalId": original_external_id,
                "subMerchantId": sub_merchant_id,
                "reason": reason,
                "externalStoreId": external_store_id,
                "amount": amount,
            },
            extra,
        )

    def resolve(
        self,
        error: OutcomeUnknown | None = None,
        /,
        *,
        service_code: str,
        original_partner_reference_no: str | None = None,
        amount_value: Decimal | int | None = None,
        amount_currency: str | None = None,
    ) -> AsyncResolver[SnapStatus]:
        """Settle a call of cancel whose outcome is unknown. Nothing is sent yet.

        `paywright.Client.snap.resolve` documents the arguments, the rules and the errors.
        """
        return self._resolve(
            _RESOLVE,
            UnknownWrite(
                "snap.cancel",
                error,
                original_partner_reference_no,
                {"serviceCode": service_code},
                {"amount.value": amount_value, "amount.currency": amount_currency},
            ),
        )
