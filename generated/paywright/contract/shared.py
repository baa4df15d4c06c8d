"""Contents of spec/shared.yaml as plain values."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from paywright_runtime.contract.model import Field, Set, Struct

STRUCTS = {
    "Money": Struct(
        "Money",
        Field("amount", "amount", "number", "number", required=True),
        Field("currency", "currency", "text", "currency max 3", "currency", required=True),
        sections=("2.3",),
    ),
    "MoneyPart": Struct(
        "MoneyPart",
        Field("amount", "amount", "number", "number"),
        Field("currency", "currency", "text", "currency max 3", "currency"),
        sections=("2.5", "4.5"),
    ),
    "TradeAmount": Struct(
        "TradeAmount",
        Field("amount", "amount", "decimal", "amount", "amount", required=True),
        Field("currency", "currency", "text", "currency", "currency", required=True),
        sections=("2.3", "6.1"),
    ),
    "OrderPlan": Struct(
        "OrderPlan",
        Field("subscriptionNo", "subscription_no", "text", "string"),
        Field("subject", "subject", "text", "string"),
        Field("description", "description", "text", "string"),
        Field("totalPeriods", "total_periods", "text", "string"),
        Field("periodRule", "period_rule", "struct", "PeriodRuleText", "PeriodRuleText"),
        Field("periodAmount", "period_amount", "struct", "MoneyPart", "MoneyPart"),
        Field("firstPeriodStartDate", "first_period_start_date", "date", "start_date", "start_date"),
        Field("trialPeriodConfig", "trial_period_config", "struct", "OrderTrialPeriods", "OrderTrialPeriods"),
        Field("trialConfig", "trial_config", "struct", "OrderTrialDays", "OrderTrialDays"),
        sections=("2.3",),
    ),
    "PeriodRuleText": Struct(
        "PeriodRuleText",
        Field("periodUnit", "period_unit", "set", "PeriodUnit", "PeriodUnit"),
        Field("periodCount", "period_count", "text", "string"),
        sections=("2.3",),
    ),
    "OrderTrialPeriods": Struct(
        "OrderTrialPeriods",
        Field("trialPeriodCount", "trial_period_count", "text", "string", required=True),
        Field("trialPeriodAmount", "trial_period_amount", "struct", "MoneyPart", "MoneyPart", required=True),
        sections=("2.3",),
    ),
    "OrderTrialDays": Struct(
        "OrderTrialDays",
        Field("trialAmount", "trial_amount", "struct", "Money", "Money", required=True),
        Field("trialDays", "trial_days", "text", "string", required=True),
        sections=("2.3",),
    ),
    "CardInfo": Struct(
        "CardInfo",
        Field("cardOrg", "card_org", "text", "string max 32"),
        Field("country", "country", "text", "country max 2", "country"),
        Field("cardType", "card_type", "text", "string max 32"),
        Field("totalCardOrg", "total_card_org", "text", "string[]", array=True),
        Field("type", "type", "set", "CardNumberKind max 32", "CardNumberKind"),
        Field("source", "source", "set", "CardSource max 32", "CardSource"),
        Field("cardBinNo", "card_bin_no", "text", "string max 16", redaction="pan"),
        Field("cardNumber", "card_number", "text", "string max 32", redaction="pan"),
        Field("cardHolderName", "card_holder_name", "text", "string max 128", redaction="pii"),
        Field("cardLast4", "card_last4", "text", "string max 4"),
        Field("cardExpirationYear", "card_expiration_year", "text", "string max 2", redaction="pan"),
        Field("cardExpirationMonth", "card_expiration_month", "text", "string max 2", redaction="pan"),
        Field("cardIdentifierNo", "card_identifier_no", "text", "string max 19", redaction="pan"),
        sections=("2.8",),
    ),
}

SETS = {
    "CardSource": Set(
        "CardSource",
        {"CARD": "", "APPLEPAY": "", "GOOGLEPAY_PAN": "", "GOOGLEPAY_CRYPTOGRAM": "", "NETWORK_TOKEN": ""},
        sections=("2.8",),
    ),
    "CardNumberKind": Set(
        "CardNumberKind", {"PAN": "a full number", "NETWORK_TOKEN": "not a full number"}, open=True, sections=("2.8",)
    ),
    "PeriodUnit": Set("PeriodUnit", {"M": "months", "D": "days", "W": "weeks", "Y": "years"}, sections=("2.3", "4.5")),
}
