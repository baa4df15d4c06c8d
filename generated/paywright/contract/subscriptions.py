"""What spec/subscriptions.yaml says, as plain values."""

# Generated from the contract by `make generate`; never edited by hand.

from __future__ import annotations

from paywright_runtime.contract.model import Field, Rule, Set, Struct
from paywright_runtime.contract.operation import Guard, Operation, Resolution

OPERATIONS = {
    "subscriptions.create": Operation(
        "subscriptions.create",
        "spec/subscriptions.yaml",
        5,
        path="/aggregate-pay/api/gateway/subscriptionCreate",
        envelope="gateway",
        roles=("request", "response"),
        request="subscriptions.create.request",
        response="subscriptions.create.response",
        sections=("4.5",),
        questions=("key-case", "subscription-query", "refusal-codes", "amounts-sent"),
        version="1.5",
        data="subscriptions.create.request.data",
        result="SubscriptionCreated",
        request_headers="gateway.request.headers",
        response_headers="gateway.response.headers",
        key="subscriptionRequestId",
        echoes=("subscriptionRequestId",),
        succeeds=("code", "APPLY_SUCCESS"),
        resolution=Resolution(None),
        refusal_codes=frozenset(
            ("SIGN_VERIFY_FAILED", "REQ_TIME_OVER_TIME", "TOO_MANY_REQUEST", "MERCHANT_APP_INVALID", "PARAMS_INVALID")
        ),
        clock_codes=frozenset(("REQ_TIME_OVER_TIME",)),
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
        "spec/subscriptions.yaml",
        26,
        (
            Field("subject", "subject", "text", "string max 256", 27, required=True),
            Field("description", "description", "text", "string max 256", 28),
            Field("totalPeriods", "total_periods", "number", "number", 29, required=True),
            Field("firstPeriodStartDate", "first_period_start_date", "datetime", "offset_time", 30, of="offset_time"),
            Field("periodRule", "period_rule", "struct", "PeriodRule", 31, of="PeriodRule"),
            Field("periodAmount", "period_amount", "struct", "Money", 32, of="Money"),
            Field("trialPeriodConfig", "trial_period_config", "struct", "TrialPeriodsPart", 33, of="TrialPeriodsPart"),
            Field("trialConfig", "trial_config", "struct", "TrialDays", 34, of="TrialDays"),
            Field("prices", "prices", "struct", "Price[]", 35, required=True, of="Price", array=True),
        ),
        sections=("4.5",),
        rules=(
            Rule(
                "period-or-prices",
                "when prices is empty, need periodRule and need periodAmount",
                "when prices is empty, need period_rule and need period_amount",
                83,
                ("4.5",),
            ),
            Rule(
                "prices-alone",
                "when prices is not empty, refuse periodRule and refuse periodAmount",
                "when prices is not empty, refuse period_rule and refuse period_amount",
                84,
                ("4.5",),
            ),
        ),
        model="paywright.models.subscriptions:NewPlan",
    ),
    "PeriodRule": Struct(
        "PeriodRule",
        "spec/subscriptions.yaml",
        37,
        (
            Field("periodUnit", "period_unit", "set", "PeriodUnit max 2", 38, required=True, of="PeriodUnit"),
            Field("periodCount", "period_count", "number", "number", 39, required=True),
        ),
        sections=("4.5",),
        model="paywright.models.subscriptions:PeriodRule",
    ),
    "TrialPeriodsPart": Struct(
        "TrialPeriodsPart",
        "spec/subscriptions.yaml",
        41,
        (
            Field("trialPeriodCount", "trial_period_count", "number", "number", 42),
            Field("trialPeriodAmount", "trial_period_amount", "struct", "MoneyPart", 43, of="MoneyPart"),
        ),
        sections=("4.5",),
        model="paywright.models.subscriptions:TrialPeriodsPart",
    ),
    "TrialDays": Struct(
        "TrialDays",
        "spec/subscriptions.yaml",
        45,
        (
            Field("trialAmount", "trial_amount", "struct", "Money", 46, required=True, of="Money"),
            Field("trialDays", "trial_days", "number", "number", 47, required=True),
        ),
        sections=("4.5", "2.5"),
        model="paywright.models.subscriptions:TrialDays",
    ),
    "Price": Struct(
        "Price",
        "spec/subscriptions.yaml",
        49,
        (
            Field("priceId", "price_id", "text", "string", 50, required=True),
            Field("quantity", "quantity", "number", "number", 51, required=True),
        ),
        sections=("4.5",),
        model="paywright.models.subscriptions:Price",
    ),
    "PriceShown": Struct(
        "PriceShown",
        "spec/subscriptions.yaml",
        53,
        (
            Field("priceId", "price_id", "text", "string", 54, required=True, also="priceID"),
            Field("quantity", "quantity", "number", "number", 51, required=True),
        ),
        sections=("2.5",),
        model="paywright.models.subscriptions:PriceShown",
    ),
    "SubscriptionCreated": Struct(
        "SubscriptionCreated",
        "spec/subscriptions.yaml",
        56,
        (
            Field("subscriptionRequestId", "subscription_request_id", "text", "string max 64", 57, required=True),
            Field(
                "subscriptionPlan",
                "subscription_plan",
                "struct",
                "SubscriptionPlan",
                58,
                required=True,
                of="SubscriptionPlan",
            ),
        ),
        sections=("2.5",),
        model="paywright.models.subscriptions:SubscriptionCreated",
    ),
    "SubscriptionPlan": Struct(
        "SubscriptionPlan",
        "spec/subscriptions.yaml",
        60,
        (
            Field("subscriptionNo", "subscription_no", "text", "string", 61, required=True),
            Field(
                "subscriptionStatus",
                "subscription_status",
                "set",
                "SubscriptionStatus max 32",
                62,
                required=True,
                of="SubscriptionStatus",
            ),
            Field("subject", "subject", "text", "string", 63),
            Field("description", "description", "text", "string", 64),
            Field("totalPeriods", "total_periods", "text", "string", 65),
            Field("periodRule", "period_rule", "struct", "PeriodRuleShown", 66, of="PeriodRuleShown"),
            Field("periodAmount", "period_amount", "struct", "Money", 67, of="Money"),
            Field(
                "trialPeriodConfig", "trial_period_config", "struct", "TrialPeriodsShown", 68, of="TrialPeriodsShown"
            ),
            Field("trialConfig", "trial_config", "struct", "TrialDays", 69, of="TrialDays"),
            Field("prices", "prices", "struct", "PriceShown[]", 70, of="PriceShown", array=True),
        ),
        sections=("2.5",),
        model="paywright.models.subscriptions:SubscriptionPlan",
    ),
    "PeriodRuleShown": Struct(
        "PeriodRuleShown",
        "spec/subscriptions.yaml",
        72,
        (
            Field("periodUnit", "period_unit", "text", "string", 73, required=True),
            Field("periodCount", "period_count", "text", "string", 74, required=True),
        ),
        sections=("2.5",),
        model="paywright.models.subscriptions:PeriodRuleShown",
    ),
    "TrialPeriodsShown": Struct(
        "TrialPeriodsShown",
        "spec/subscriptions.yaml",
        76,
        (
            Field("trialPeriodCount", "trial_period_count", "text", "string", 77, required=True),
            Field("trialPeriodAmount", "trial_period_amount", "struct", "MoneyPart", 78, required=True, of="MoneyPart"),
        ),
        sections=("2.5",),
        model="paywright.models.subscriptions:TrialPeriodsShown",
    ),
    "subscriptions.create.request": Struct(
        "subscriptions.create.request",
        "spec/subscriptions.yaml",
        12,
        (
            Field(
                "version",
                "version",
                "text",
                "string",
                141,
                required=True,
                source="operation.version",
                file="spec/service.yaml",
            ),
            Field(
                "keyVersion", "key_version", "text", "string", 142, required=True, sends="1", file="spec/service.yaml"
            ),
            Field(
                "requestTime",
                "request_time",
                "datetime",
                "time",
                143,
                required=True,
                of="request_time",
                source="clock",
                file="spec/service.yaml",
            ),
            Field(
                "appId",
                "app_id",
                "text",
                "string",
                144,
                required=True,
                source="merchant.app_id",
                file="spec/service.yaml",
            ),
            Field(
                "merchantNo",
                "merchant_no",
                "text",
                "string max 32",
                145,
                source="merchant.merchant_no",
                file="spec/service.yaml",
            ),
            Field(
                "data",
                "data",
                "struct",
                "subscriptions.create.request.data",
                146,
                required=True,
                of="subscriptions.create.request.data",
                file="spec/service.yaml",
            ),
        ),
        sections=("4.5",),
    ),
    "subscriptions.create.request.data": Struct(
        "subscriptions.create.request.data",
        "spec/subscriptions.yaml",
        12,
        (
            Field("subscriptionRequestId", "subscription_request_id", "text", "string max 64", 14, required=True),
            Field("userId", "user_id", "text", "string max 64", 15, required=True, redaction="pii"),
            Field("callbackUrl", "callback_url", "text", "string max 256", 16, required=True),
            Field("subscriptionPlan", "subscription_plan", "struct", "NewPlan", 17, required=True, of="NewPlan"),
        ),
        sections=("4.5",),
    ),
    "subscriptions.create.response": Struct(
        "subscriptions.create.response",
        "spec/subscriptions.yaml",
        22,
        (
            Field("code", "code", "text", "string", 150, required=True, file="spec/service.yaml"),
            Field("msg", "msg", "text", "string", 151, file="spec/service.yaml"),
            Field(
                "data", "data", "struct", "SubscriptionCreated", 152, of="SubscriptionCreated", file="spec/service.yaml"
            ),
        ),
        sections=("4.5",),
        rules=(
            Rule(
                "success-has-data",
                "when code is APPLY_SUCCESS, need data",
                "when code is APPLY_SUCCESS, need data",
                154,
                ("2.2",),
                file="spec/service.yaml",
            ),
        ),
    ),
}

SETS = {
    "SubscriptionStatus": Set(
        "SubscriptionStatus",
        "spec/subscriptions.yaml",
        88,
        {
            "INACTIVE": "not activated",
            "ACTIVE_FAILED": "activation failed",
            "ACTIVE": "activated",
            "EXPIRED": "expired and not activated",
            "FINISH": "completed",
            "CANCEL": "cancelled",
            "TERMINATE": "terminated",
        },
        model="paywright.models.subscriptions:SubscriptionStatus",
        open=False,
        states=True,
        final=("EXPIRED", "FINISH", "CANCEL", "TERMINATE"),
        settled=(),
        paid=(),
        sections=("3", "2.5"),
    ),
}
