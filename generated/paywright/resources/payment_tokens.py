"""PaymentTokens: what a client calls as `client.payment_tokens`."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright.operations import PAYMENT_TOKENS_INQUIRE, PAYMENT_TOKENS_LIST
from paywright_runtime.tracebacks import strip_frames

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paywright.models.payment_tokens import BizPaymentTokenList, PaymentTokenList
    from paywright_runtime.client.operation_refs import Call


class PaymentTokens:
    """PaymentTokens: list, inquire [4.6, 4.7]."""

    __slots__ = ("_call",)

    def __init__(self, call: Call) -> None:
        self._call = call

    @strip_frames
    def list(
        self,
        *,
        user_id: str,
        token_scope: str | None = None,
        payment_token_id: str | None = None,
        payment_method_type: str | None = None,
        target_org: str | None = None,
        card_org: str | None = None,
        referral_code: str | None = None,
        extra: Mapping[str, object] | None = None,
    ) -> PaymentTokenList:
        """List the saved payment methods of a user.

        Args:
            user_id: at most 64 characters.
            token_scope: at most 16 characters, default tokenAcq.
            payment_token_id: at most 64 characters.
            payment_method_type: such as CARD, WALLET.
            target_org: null or empty when the type is CARD.
            card_org: such as VISA, MASTERCARD; may be null when the type is CARD.
            referral_code: token binding identifier.
            extra: members newer than the contract, by wire name.

        Rules:
            card-has-no-target: when payment_method_type is CARD, target_org is empty.

        Returns:
            PaymentTokenList: The saved payment methods of a user.

        Raises:
            ContractViolation: an argument breaks the contract; all violations at once, nothing was sent.
            NotSent: no byte of the body left; safe to repeat.
            NoAnswer: no verified answer came; safe to repeat.
            GatewayError: a verified refusal.
            UnreadableAnswer: a verified success that lacks a required member.

        See section 4.6 of the specification.
        """
        return self._call(
            PAYMENT_TOKENS_LIST,
            {
                "userId": user_id,
                "tokenScope": token_scope,
                "paymentTokenID": payment_token_id,
                "paymentMethodType": payment_method_type,
                "targetOrg": target_org,
                "cardOrg": card_org,
                "referralCode": referral_code,
            },
            extra,
        )

    @strip_frames
    def inquire(
        self,
        *,
        user_id: str,
        payment_token_id: str | None = None,
        extra: Mapping[str, object] | None = None,
    ) -> BizPaymentTokenList:
        """List the saved payment methods of a user, in the bizType form.

        Its address is not shown: set Client(paths={"payment_tokens.inquire": "/..."}).

        Args:
            user_id: at most 64 characters.
            payment_token_id: at most 64 characters.
            extra: members newer than the contract, by wire name.

        Returns:
            BizPaymentTokenList: The saved payment methods of a user, in the bizType form.

        Raises:
            ContractViolation: an argument breaks the contract; all violations at once, nothing was sent.
            NotSent: no byte of the body left; safe to repeat.
            NoAnswer: no verified answer came; safe to repeat.
            GatewayError: a verified refusal.
            UnreadableAnswer: a verified success that lacks a required member.

        See section 4.7 of the specification.
        """
        return self._call(
            PAYMENT_TOKENS_INQUIRE,
            {
                "userId": user_id,
                "paymentTokenID": payment_token_id,
            },
            extra,
        )
