"""Contents of spec/subscriptions.yaml as plain values."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

from __future__ import annotations

from paywright.contract._envelopes import (
    GATEWAY_OPERATION,
    GATEWAY_REQUEST_FIELDS,
    GATEWAY_RESPONSE_FIELDS,
    GATEWAY_RESPONSE_RULES,
)
from paywright_runtime.contract.model import Field, Rule, Set, Struct
from paywright_runtime.contract.operation import Guard, Resolution

OPERATIONS = {
    "subscriptions.create": GATEWAY_OPERATION(
        "subscriptions.create",
        path="/aggregate-pay/api/gateway/subscriptionCreate",
        request="subscriptions.create.request",
        response="subscriptions.create.response",
        sections=("4.5",),
        questions=("key-case", "empty-texts", "subscription-query", "refusal-codes", "repeat-code", "amounts-sent"),
        version="1.5",
        data="subscriptions.create.request.data",
        result="SubscriptionCreated",
        key="subscriptionRequestId",
        echoes=("subscriptionRequestId",),
        gateway_id="/data/subscriptionPlan/subscriptionNo",
        resolution=Resolution(None, argument="subscription_request_id"),
        duplicate_codes=frozenset(("ORDER_REPEAT",)),
        guards=(
            Guard("plan-amounts", "above", "/subscriptionPlan/periodAmount/amount"),
            Guard("plan-amounts", "not below", "/subscriptionPlan/trialPeriodConfig/trialPeriodAmount/amount"),
            Guard("plan-amounts", "not below", "/subscriptionPlan/trialConfig/trialAmount/amount"),
        ),
    ),
}

STRUCTS = {
    "NewPlan": Struct(
        "NewPlan",
        Field("subject", "subject", "text", "string max 256", required=True),
        Field("description", "description", "text", "string max 256"),
        Field("totalPeriods", "total_periods", "number", "number", required=True),
        Field("firstPeriodStartDate", "first_period_start_date", "datetime", "offset_time", "offset_time"),
        Field("periodRule", "period_rule", "struct", "PeriodRule", "PeriodRule"),
        Field("periodAmount", "period_amount", "struct", "Money", "Money"),
        Field("trialPeriodConfig", "trial_period_config", "struct", "TrialPeriodsPart", "TrialPeriodsPart"),
        Field("trialConfig", "trial_config", "struct", "TrialDays", "TrialDays"),
        Field("prices", "prices", "struct", "Price[]", "Price", required=True, array=True),
        sections=("4.5",),
        rules=(
            Rule(
                "period-or-prices",
                "when prices is empty, need periodRule and need periodAmount",
                "when prices is empty, need period_rule and need period_amount",
                ("4.5",),
            ),
            Rule(
                "prices-alone",
                "when prices is not empty, refuse periodRule and refuse periodAmount",
                "when prices is not empty, refuse period_rule and refuse period_amount",
                ("4.5",),
            ),
        ),
    ),
    "PeriodRule": Struct(
        "PeriodRule",
        Field("periodUnit", "period_unit", "set", "PeriodUnit max 2", "PeriodUnit", required=True),
        Field("periodCount", "period_count", "number", "number", required=True),
        sections=("4.5",),
    ),
    "TrialPeriodsPart": Struct(
        "TrialPeriodsPart",
        Field("trialPeriodCount", "trial_period_count", "number", "number"),
        Field("trialPeriodAmount", "trial_period_amount", "struct", "MoneyPart", "MoneyPart"),
        sections=("4.5",),
    ),
    "TrialDays": Struct(
        "TrialDays",
        Field("trialAmount", "trial_amount", "struct", "Money", "Money", required=True),
        Field("trialDays", "trial_days", "number", "number", required=True),
        sections=("4.5", "2.5"),
    ),
    "Price": Struct(
        "Price",
        Field("priceId", "price_id", "text", "string", required=True),
        Field("quantity", "quantity", "number", "number", required=True),
        sections=("4.5",),
    ),
    "PriceShown": Struct(
        "PriceShown",
        Field("priceId", "price_id", "text", "string", required=True, also="priceID"),
        Field("quantity", "quantity", "number", "number", required=True),
        sections=("2.5",),
    ),
    "SubscriptionCreated": Struct(
        "SubscriptionCreated",
        Field("subscriptionRequestId", "subscription_request_id", "text", "string max 64", required=True),
        Field("subscriptionPlan", "subscription_plan", "struct", "SubscriptionPlan", "SubscriptionPlan", required=True),
        sections=("2.5",),
    ),
    "SubscriptionPlan": Struct(
        "SubscriptionPlan",
        Field("subscriptionNo", "subscription_no", "text", "string", required=True),
        Field(
            "subscriptionStatus",
            "subscription_status",
            "set",
            "SubscriptionStatus max 32",
            "SubscriptionStatus",
            required=True,
        ),
        Field("subject", "subject", "text", "string"),
        Field("description", "description", "text", "string"),
        Field("totalPeriods", "total_periods", "text", "string"),
        Field("periodRule", "period_rule", "struct", "PeriodRuleShown", "PeriodRuleShown"),
        Field("periodAmount", "period_amount", "struct", "Money", "Money"),
        Field("trialPeriodConfig", "trial_period_config", "struct", "TrialPeriodsShown", "TrialPeriodsShown"),
        Field("trialConfig", "trial_config", "struct", "TrialDays", "TrialDays"),
        Field("prices", "prices", "struct", "PriceShown[]", "PriceShown", array=True),
        sections=("2.5",),
    ),
    "PeriodRuleShown": Struct(
        "PeriodRuleShown",
        Field("periodUnit", "period_unit", "text", "string", required=True),
        Field("periodCount", "period_count", "text", "string", required=True),
        sections=("2.5",),
    ),
    "TrialPeriodsShown": Struct(
        "TrialPeriodsShown",
        Field("trialPeriodCount", "trial_period_count", "text", "string", required=True),
        Field("trialPeriodAmount", "trial_period_amount", "struct", "MoneyPart", "MoneyPart", required=True),
        sections=("2.5",),
    ),
    "subscriptions.create.request": Struct(
        "subscriptions.create.request",
        *GATEWAY_REQUEST_FIELDS,
        Field(
            "data",
            "data",
            "struct",
            "subscriptions.create.request.data",
            "subscriptions.create.request.data",
            required=True,
        ),
        sections=("4.5",),
    ),
    "subscriptions.create.request.data": Struct(
        "subscriptions.create.request.data",
        Field("subscriptionRequestId", "subscription_request_id", "text", "string max 64", required=True),
        Field("userId", "user_id", "text", "string max 64", required=True, redaction="pii"),
        Field("callbackUrl", "callback_url", "text", "string max 256", required=True),
        Field("subscriptionPlan", "subscription_plan", "struct", "NewPlan", "NewPlan", required=True),
        sections=("4.5",),
    ),
    "subscriptions.create.response": Struct(
        "subscriptions.create.response",
        *GATEWAY_RESPONSE_FIELDS,
        Field("data", "data", "struct", "SubscriptionCreated", "SubscriptionCreated"),
        sections=("4.5",),
        rules=GATEWAY_RESPONSE_RULES,
    ),
}

SETS = {
    "SubscriptionStatus": Set(
        "SubscriptionStatus",
        {
            "INACTIVE": "not activated",
            "ACTIVE_FAILED": "activation failed",
            "ACTIVE": "activated",
            "EXPIRED": "expired and not activated",
            "FINISH": "completed",
            "CANCEL": "cancelled",
            "TERMINATE": "terminated",
        },
        states=True,
        final=("EXPIRED", "FINISH", "CANCEL", "TERMINATE"),
        sections=("3", "2.5"),
    ),
}
