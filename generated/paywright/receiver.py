"""The receiver of the gateway's notifications (webhooks), with a typed handler for every kind."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from typing import TYPE_CHECKING

from paywright.contract import CONTRACT
from paywright.merchant import Merchant
from paywright_receiver.webhooks.bill_questions import Question
from paywright_receiver.webhooks.receiver import BaseReceiver
from paywright_runtime.tracebacks import strip_frames

if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal
    from typing import ClassVar, Unpack

    from paywright.models.merchant import BillPaymentDecision, BillPaymentValidation
    from paywright.models.notifications import PeriodResult, Transfer
    from paywright_receiver.webhooks.event import Event
    from paywright_receiver.webhooks.options import ReceiverArguments
    from paywright_runtime.contract.index import Contract


class BillPaymentValidationQuestion(Question):
    """The bill payment that the gateway asks about [4.18, 2.15]."""

    __slots__ = ()

    @property
    def data(self) -> BillPaymentValidation:
        """The data of the question."""
        asked: BillPaymentValidation = self._data
        return asked

    def accept(
        self,
        *,
        min_amount: Decimal | int,
        max_amount: Decimal | int,
    ) -> BillPaymentDecision:
        """Yes, within these limits."""
        from paywright.models.merchant import BillPaymentDecision

        return BillPaymentDecision(
            reference_no=self.data.reference_no,
            currency=self.data.currency,
            confirmation="Y",
            min_amount=min_amount,
            max_amount=max_amount,
        )

    def refuse(self, failure_reason: str, /) -> BillPaymentDecision:
        """No, and why; words beyond the contract's limit are cut off."""
        from paywright.models.merchant import BillPaymentDecision

        return BillPaymentDecision(
            reference_no=self.data.reference_no,
            currency=self.data.currency,
            confirmation="N",
            min_amount=0,
            max_amount=0,
            failure_reason=failure_reason[:255],
        )


class Receiver(BaseReceiver):
    """Receives the gateway's notifications (webhooks) and questions: verified, matched, fresh, each effect once.

    Threads may share it, and processes may share its ledger. See `paywright_receiver.webhooks.receiver.BaseReceiver` for its other
    arguments.

    Args:
        app_id: unique id of the merchant app.
        merchant_no: unique id of the merchant; compared if it is given and the notification has one too.
    """

    @classmethod
    def _contract(cls) -> Contract:
        return CONTRACT

    NUMBERS: ClassVar[tuple[str, ...]] = ("app_id", "merchant_no")

    @classmethod
    def _merchant_class(cls) -> type[Merchant]:
        return Merchant

    @strip_frames
    def __init__(
        self,
        *,
        app_id: str,
        merchant_no: str | None = None,
        **options: Unpack[ReceiverArguments],
    ) -> None:
        self.app_id: str = app_id
        self.merchant_no: str | None = merchant_no
        super().__init__(
            {
                "app_id": app_id,
                "merchant_no": merchant_no,
            },
            **options,
        )

    def on_receive(self, handler: Callable[[Event[Transfer]], None], /) -> Callable[[Event[Transfer]], None]:
        """The result of a transfer to the receive service [6.1, 4.19, 2.14].

        `event.data` is the Transfer. It has one effect for each request_no and status.
        """
        return self._register("notifications.receive", handler)

    def on_subscription_payment(
        self, handler: Callable[[Event[PeriodResult]], None], /
    ) -> Callable[[Event[PeriodResult]], None]:
        """The result of a subscription period's payment [6.2, 4.19, 2.5].

        Sent after each successful period payment, and for a failed one after the final retry.

        `event.data` is the PeriodResult. It has one effect for each subscription_plan.subscription_no,
        subscription_payment_detail.subscription_index and subscription_payment_detail.payment_status.
        """
        return self._register("notifications.subscription_payment", handler)

    def on_validate_bill_payment(
        self, handler: Callable[[BillPaymentValidationQuestion], BillPaymentDecision], /
    ) -> Callable[[BillPaymentValidationQuestion], BillPaymentDecision]:
        """The gateway asks whether a bill payment may be made (Philippines only) [4.18, 2.15, 7].

        A refusal is still answered with code SUCCESS, and confirmation N.

        The function gets a BillPaymentValidationQuestion and returns a BillPaymentDecision, such as its accept(...)
        or refuse(...). It runs in a thread of its own; when it fails or takes longer than `bill_deadline`, the answer
        is a refusal. It must have no effect: the question carries neither who is asked nor when, and may come again.
        """
        return self._register_question("merchant.validate_bill_payment", BillPaymentValidationQuestion, handler)
