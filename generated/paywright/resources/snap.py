"""Snap: what a client calls as `client.snap`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright.operations import SNAP_CANCEL, SNAP_STATUS
from paywright_runtime.tracebacks import strip_frames

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from decimal import Decimal

    from paywright.models.snap import SnapAmount, SnapCancelled, SnapStatus
    from paywright_runtime.client.operation_refs import Call
    from paywright_runtime.client.resolver import Resolve, Resolver
    from paywright_runtime.errors import OutcomeUnknown


class Snap:
    """Snap: status, cancel [4.17]."""

    __slots__ = ("_call", "_resolve")

    def __init__(self, call: Call, resolve: Resolve) -> None:
        self._call = call
        self._resolve = resolve

    @strip_frames
    def status(
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

        Args:
            original_partner_reference_no: at most 64 characters.
            service_code: at most 2 characters; service code of the original request.
            original_reference_no: at most 64 characters.
            original_external_id: at most 36 characters.
            transaction_date: an RFC 3339 time, at most 25 characters.
            amount: SnapAmount: An amount in the bank-style form.
            external_store_id: at most 64 characters.
            extra: members newer than the contract, by wire name.

        Returns:
            SnapStatus: State of a bank-style payment.

        Raises:
            ContractViolation: an argument breaks the contract; all violations at once, nothing was sent.
            NotSent: no byte of the body left; safe to repeat.
            NoAnswer: no verified answer came; safe to repeat.
            GatewayError: a verified refusal.
            UnreadableAnswer: a verified success that lacks a required member.

        See section 4.17 of the specification.
        """
        return self._call(
            SNAP_STATUS,
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

    @strip_frames
    def cancel(
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

        Args:
            original_partner_reference_no: not blank; at most 64 characters; of the payment that is cancelled; the
                same again whenever this very cancel is repeated, because another one cancels another payment.
            original_reference_no: at most 64 characters.
            original_external_id: at most 36 characters.
            sub_merchant_id: at most 32 characters.
            reason: at most 256 characters.
            external_store_id: at most 64 characters.
            amount: SnapAmount: An amount in the bank-style form.
            extra: members newer than the contract, by wire name.

        Not sent unless:
            amount-above-zero: amount.value above 0.

        Returns:
            SnapCancelled: Result of cancelling a bank-style payment.

        Raises:
            ContractViolation: an argument breaks the contract; all violations at once, nothing was sent.
            NotSent: no byte of the body left; safe to repeat with the same key, unless an earlier call with it is
                unknown.
            OutcomeUnknown: it left and no verified answer came, so money may have moved; settle it with
                client.snap.resolve.
            GatewayError: a verified refusal; it proves nothing about an earlier call with this key.
            UnreadableAnswer: a verified success that lacks a required member.

        See section 4.17 of the specification.
        """
        return self._call(
            SNAP_CANCEL,
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
    ) -> Resolver[SnapStatus]:
        """Settle a call of cancel whose outcome is unknown. Nothing is sent yet.

        It is settled when snap.status shows the key with latest_transaction_status 05 or 06. The call is never
        repeated: "not there" proves nothing.

        Args:
            error: the error of the call. It has the key and the content.
            service_code: what snap.status asks for beside the key.
            original_partner_reference_no: without an error: the key of the call, as it was sent.
            amount_value: without an error: the call's amount.value; if snap.status shows another, the key belongs to
                another call.
            amount_currency: without an error: the call's amount.currency; if snap.status shows another, the key
                belongs to another call.

        See sections 4.3, 4.17 of the specification.
        """
        return self._resolve(
            SNAP_CANCEL,
            error,
            key=original_partner_reference_no,
            asks={"serviceCode": service_code},
            content={"amount.value": amount_value, "amount.currency": amount_currency},
        )
