"""What spec/shared.yaml says, as plain values."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from paywright_runtime.contract.model import Field, Set, Struct

STRUCTS = {
    "Money": Struct(
        "Money",
        "spec/shared.yaml",
        3,
        (
            Field("amount", "amount", "number", "number", 4, required=True),
            Field("currency", "currency", "text", "currency max 3", 5, required=True, of="currency"),
        ),
        sections=("2.3",),
        model="paywright.models.shared:Money",
    ),
    "MoneyPart": Struct(
        "MoneyPart",
        "spec/shared.yaml",
        7,
        (
            Field("amount", "amount", "number", "number", 8),
            Field("currency", "currency", "text", "currency max 3", 9, of="currency"),
        ),
        sections=("2.5", "4.5"),
        model="paywright.models.shared:MoneyPart",
    ),
    "TradeAmount": Struct(
        "TradeAmount",
        "spec/shared.yaml",
        11,
        (
            Field("amount", "amount", "decimal", "amount", 12, required=True, of="amount"),
            Field("currency", "currency", "text", "currency", 13, required=True, of="currency"),
        ),
        sections=("2.3", "6.1"),
        model="paywright.models.shared:TradeAmount",
    ),
    "OrderPlan": Struct(
        "OrderPlan",
        "spec/shared.yaml",
        15,
        (
            Field("subscriptionNo", "subscription_no", "text", "string", 16),
            Field("subject", "subject", "text", "string", 17),
            Field("description", "description", "text", "string", 18),
            Field("totalPeriods", "total_periods", "text", "string", 19),
            Field("periodRule", "period_rule", "struct", "PeriodRuleText", 20, of="PeriodRuleText"),
            Field("periodAmount", "period_amount", "struct", "MoneyPart", 21, of="MoneyPart"),
            Field("firstPeriodStartDate", "first_period_start_date", "text", "start_date", 22, of="start_date"),
            Field(
                "trialPeriodConfig", "trial_period_config", "struct", "OrderTrialPeriods", 23, of="OrderTrialPeriods"
            ),
            Field("trialConfig", "trial_config", "struct", "OrderTrialDays", 24, of="OrderTrialDays"),
        ),
        sections=("2.3",),
        model="paywright.models.shared:OrderPlan",
    ),
    "PeriodRuleText": Struct(
        "PeriodRuleText",
        "spec/shared.yaml",
        26,
        (
            Field("periodUnit", "period_unit", "set", "PeriodUnit", 27, of="PeriodUnit"),
            Field("periodCount", "period_count", "text", "string", 28),
        ),
        sections=("2.3",),
        model="paywright.models.shared:PeriodRuleText",
    ),
    "OrderTrialPeriods": Struct(
        "OrderTrialPeriods",
        "spec/shared.yaml",
        30,
        (
            Field("trialPeriodCount", "trial_period_count", "text", "string", 31, required=True),
            Field("trialPeriodAmount", "trial_period_amount", "struct", "MoneyPart", 32, required=True, of="MoneyPart"),
        ),
        sections=("2.3",),
        model="paywright.models.shared:OrderTrialPeriods",
    ),
    "OrderTrialDays": Struct(
        "OrderTrialDays",
        "spec/shared.yaml",
        34,
        (
            Field("trialAmount", "trial_amount", "struct", "Money", 35, required=True, of="Money"),
            Field("trialDays", "trial_days", "text", "string", 36, required=True),
        ),
        sections=("2.3",),
        model="paywright.models.shared:OrderTrialDays",
    ),
    "CardInfo": Struct(
        "CardInfo",
        "spec/shared.yaml",
        38,
        (
            Field("cardOrg", "card_org", "text", "string max 32", 39),
            Field("country", "country", "text", "country max 2", 40, of="country"),
            Field("cardType", "card_type", "text", "string max 32", 41),
            Field("totalCardOrg", "total_card_org", "text", "string[]", 42, array=True),
            Field("type", "type", "set", "CardNumberKind max 32", 43, of="CardNumberKind"),
            Field("source", "source", "set", "CardSource max 32", 44, of="CardSource"),
            Field("cardBinNo", "card_bin_no", "text", "string max 16", 45, redaction="pan"),
            Field("cardNumber", "card_number", "text", "string max 32", 46, redaction="pan"),
            Field("cardHolderName", "card_holder_name", "text", "string max 128", 47, redaction="pii"),
            Field("cardLast4", "card_last4", "text", "string max 4", 48),
            Field("cardExpirationYear", "card_expiration_year", "text", "string max 2", 49, redaction="pan"),
            Field("cardExpirationMonth", "card_expiration_month", "text", "string max 2", 50, redaction="pan"),
            Field("cardIdentifierNo", "card_identifier_no", "text", "string max 19", 51, redaction="pan"),
        ),
        sections=("2.8",),
        model="paywright.models.shared:CardInfo",
    ),
}

SETS = {
    "CardSource": Set(
        "CardSource",
        "spec/shared.yaml",
        55,
        {"CARD": "", "APPLEPAY": "", "GOOGLEPAY_PAN": "", "GOOGLEPAY_CRYPTOGRAM": "", "NETWORK_TOKEN": ""},
        model="paywright.models.shared:CardSource",
        open=False,
        states=False,
        final=(),
        settled=(),
        paid=(),
        returned=(),
        stated=(),
        sections=("2.8",),
    ),
    "CardNumberKind": Set(
        "CardNumberKind",
        "spec/shared.yaml",
        57,
        {"PAN": "a full number", "NETWORK_TOKEN": "not a full number"},
        model="paywright.models.shared:CardNumberKind",
        open=True,
        states=False,
        final=(),
        settled=(),
        paid=(),
        returned=(),
        stated=(),
        sections=("2.8",),
    ),
    "PeriodUnit": Set(
        "PeriodUnit",
        "spec/shared.yaml",
        62,
        {"M": "months", "D": "days", "W": "weeks", "Y": "years"},
        model="paywright.models.shared:PeriodUnit",
        open=False,
        states=False,
        final=(),
        settled=(),
        paid=(),
        returned=(),
        stated=(),
        sections=("2.3", "4.5"),
    ),
}
