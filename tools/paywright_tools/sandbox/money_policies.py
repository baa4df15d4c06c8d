"""What is decided of rates, exchanges, withdrawals, cases and the bank-style calls where the specification is silent."""

from __future__ import annotations

from typing import Final

from paywright_tools.sandbox.policy import Policy

__all__ = ["POLICIES"]

_RATES: Final = (
    Policy("rate-lasts", 3600, "rate-terms", "seconds that a reference rate is in force"),
    Policy("rate-spread-pay-in", "0.004", "rate-terms", "how far BUY and SELL of PAY_IN are from the middle; 0.01 is one percent", form="fraction"),
    Policy("rate-spread-pay-out", "0.006", "rate-terms", "how far BUY and SELL of PAY_OUT are from the middle", form="fraction"),
    Policy("rate-pair-unknown", "CURRENCY_INVALID", "error-codes", "code when there is no rate of a pair"),
    Policy("locked-rates", "on", "rate-terms", "whether the locked-rate service is active; off ignores validTime",
           choices=("on", "off")),
    Policy("locked-rate-type", "LOCKED", "rate-terms", "rateType of a locked rate"),
    Policy("locked-rate-day-ahead", 0, "rate-terms", "seconds that the day of a locked rate begins before midnight UTC"),
    Policy("locked-rate-over", "PARAMS_INVALID", "error-codes", "code when validTime names a day that is over"),
    Policy("locked-rate-not-yet", "PARAMS_INVALID", "error-codes", "code when the rates of the day of validTime are not there yet"),
)  # fmt: skip

_EXCHANGES: Final = (
    Policy("initial-balance", "100000.00", "balances", "balance at first, in every currency that sandbox.toml names none for", form="amount"),
    Policy("exchange-repeat", "ORDER_REPEAT", "repeat-code", "code when the outTradeNo of an exchange was used before, same body or not"),
    Policy("exchange-rates-of", "PAY_IN", "rate-terms", "whose latest rates an exchange without rateVersion has: as rates.query shows them for that product", choices=("PAY_IN", "PAY_OUT")),
    Policy("rate-version-unknown", "PARAMS_INVALID", "rate-terms", "code when rateVersion is no rate of this pair and side"),
    Policy("rate-version-expired", "PARAMS_INVALID", "rate-terms", "code when rateVersion is in force no longer"),
    Policy("exchange-rounding", "against-client", "decimals",
           "how targetAmount is rounded to the decimals of its currency; against-client: what is paid (BUY) up, and what is brought (SELL) down, "
           "so that no round trip makes money", choices=("against-client", "half-up", "half-even", "down")),
    Policy("exchange-too-small", "AMOUNT_LIMIT", "refusal-codes", "code when targetAmount is rounded to nothing"),
    Policy("exchange-over-balance", "BALANCE_INSUFFICIENT", "refusal-codes", "code when the balance does not suffice"),
    Policy("exchange-over-balance-is", "refused", "refusal-codes",
           "what an exchange is that the balance does not suffice for: refused with nothing created, or created as FAILED",
           choices=("refused", "failed")),
    Policy("exchange-settles-after", 2, "other-moves", "seconds from PENDING to SUCCESS of an exchange"),
    Policy("exchange-failed-code", "SYSTEM_ERROR", "error-codes", "errorCode of an exchange that the control API let fail"),
    Policy("exchange-absent", "ORDER_NOT_EXIST", "exchange-absent", "code when there is no such exchange"),
    Policy("rate-time", "milliseconds", "rate-time", "form of an exchange's rateTime: milliseconds since 1970, or RFC 3339",
           choices=("milliseconds", "rfc-3339")),
)  # fmt: skip

_WITHDRAWALS: Final = (
    Policy("withdraw-settles-after", 2, "other-moves", "seconds from PROCESSING to SUCCESS of a withdraw order"),
    Policy("withdraw-fee", "1.00", "balances", "fee of a withdraw order, in its transaction currency and on top of its amount", form="amount"),
    Policy("withdraw-absent", "ORDER_NOT_EXIST", "withdraw-absent", "code when there is no such withdraw order"),
)  # fmt: skip

_CASES: Final = (
    Policy("case-opens-as", "DISPUTE_INQUIRY", "case-status", "status of a new chargeback case",
           choices=("DISPUTE_INQUIRY", "DISPUTE_RECEIVED")),
    Policy("case-fee", "0.10", "case-terms", "freezing fee of a chargeback case, in the currency of its order", form="amount"),
    Policy("case-freezes", "nothing", "case-freezing",
           "what a chargeback case freezes: nothing, for what paid orders earn is not in the balances; or amount and fee in the balance of its currency",
           choices=("nothing", "balance")),
    Policy("disputed-amount", "held", "case-freezing",
           "whether what an open or lost case disputes of an order can be refunded, and what was refunded disputed: neither (held), or both (free)",
           choices=("held", "free")),
    Policy("case-reply-within", 864000, "case-terms", "seconds from the opening of a case to its expirationDate"),
    Policy("case-absent", "CASE_NOT_EXIST", "error-codes", "code when there is no such case"),
)  # fmt: skip

_SNAP: Final = (
    Policy("snap-signature", "either", "snap-signature", "which X-SIGNATURE is due: of either kind, of one, or whatever it is",
           choices=("either", "asymmetric", "symmetric", "any")),
    Policy("snap-timestamp", "checked", "snap-signature", "whether X-TIMESTAMP must be near the clock, as requestTime must",
           choices=("checked", "any")),
    Policy("snap-day-ahead", 25200, "snap-codes", "seconds that the day in which X-EXTERNAL-ID is unique begins before midnight UTC"),
    Policy("snap-reaches", "all", "snap-codes", "which orders are reachable as originalPartnerReferenceNo, by their outTradeNo",
           choices=("all", "idr", "none")),
    Policy("snap-cancel-of-paid", "keep", "snap-cancel-status",
           "what the cancel of a paid order does: answers 00 and nothing else, refunds the rest and answers 00, or is refused",
           choices=("keep", "refund", "refuse")),
    Policy("snap-bad-format", "400xx01", "snap-codes", "responseCode when a member or header is not as it must be; xx is the service's", form="snap-code"),
    Policy("snap-missing-field", "400xx02", "snap-codes", "responseCode when a member or header is missing", form="snap-code"),
    Policy("snap-unauthorized", "401xx00", "snap-codes", "responseCode when a signature, the time or the merchant is not right", form="snap-code"),
    Policy("snap-not-permitted", "403xx15", "snap-codes", "responseCode when a paid order is not to be cancelled", form="snap-code"),
    Policy("snap-absent", "404xx01", "snap-codes", "responseCode when there is no such order", form="snap-code"),
    Policy("snap-amount-differs", "404xx13", "snap-codes", "responseCode when amount is not the order's", form="snap-code"),
    Policy("snap-repeat", "409xx00", "snap-codes", "responseCode when X-EXTERNAL-ID was used before on the same day", form="snap-code"),
    Policy("snap-failed", "500xx00", "snap-codes", "responseCode of every other failure", form="snap-code"),
)  # fmt: skip

POLICIES: Final[tuple[Policy, ...]] = (*_RATES, *_EXCHANGES, *_WITHDRAWALS, *_CASES, *_SNAP)
