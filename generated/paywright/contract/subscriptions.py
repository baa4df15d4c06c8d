"""What spec/subscriptions.yaml says, as plain values."""

# Generated from the contract by `paywright contract generate`; never edited by hand.

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
        payloads=("data", "data"),
        succeeds=("code", "APPLY_SUCCESS"),
        message_at="msg",
        gateway_id="/data/subscriptionPlan/subscriptionNo",
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
        27,
        (
            Field("subject", "subject", "text", "string max 256", 28, required=True),
            Field("description", "description", "text", "string max 256", 29),
            Field("totalPeriods", "total_periods", "number", "number", 30, required=True),
            Field("firstPeriodStartDate", "first_period_start_date", "datetime", "offset_time", 31, of="offset_time"),
            Field("periodRule", "period_rule", "struct", "PeriodRule", 32, of="PeriodRule"),
            Field("periodAmount", "period_amount", "struct", "Money", 33, of="Money"),
            Field("trialPeriodConfig", "trial_period_config", "struct", "TrialPeriodsPart", 34, of="TrialPeriodsPart"),
            Field("trialConfig", "trial_config", "struct", "TrialDays", 35, of="TrialDays"),
            Field("prices", "prices", "struct", "Price[]", 36, required=True, of="Price", array=True),
        ),
        sections=("4.5",),
        rules=(
            Rule(
                "period-or-prices",
                "when prices is empty, need periodRule and need periodAmount",
                "when prices is empty, need period_rule and need period_amount",
                84,
                ("4.5",),
            ),
            Rule(
                "prices-alone",
                "when prices is not empty, refuse periodRule and refuse periodAmount",
                "when prices is not empty, refuse period_rule and refuse period_amount",
                85,
                ("4.5",),
            ),
        ),
        model="paywright.models.subscriptions:NewPlan",
    ),
    "PeriodRule": Struct(
        "PeriodRule",
        "spec/subscriptions.yaml",
        38,
        (
            Field("periodUnit", "period_unit", "set", "PeriodUnit max 2", 39, required=True, of="PeriodUnit"),
            Field("periodCount", "period_count", "number", "number", 40, required=True),
        ),
        sections=("4.5",),
        model="paywright.models.subscriptions:PeriodRule",
    ),
    "TrialPeriodsPart": Struct(
        "TrialPeriodsPart",
        "spec/subscriptions.yaml",
        42,
        (
            Field("trialPeriodCount", "trial_period_count", "number", "number", 43),
            Field("trialPeriodAmount", "trial_period_amount", "struct", "MoneyPart", 44, of="MoneyPart"),
        ),
        sections=("4.5",),
        model="paywright.models.subscriptions:TrialPeriodsPart",
    ),
    "TrialDays": Struct(
        "TrialDays",
        "spec/subscriptions.yaml",
        46,
        (
            Field("trialAmount", "trial_amount", "struct", "Money", 47, required=True, of="Money"),
            Field("trialDays", "trial_days", "number", "number", 48, required=True),
        ),
        sections=("4.5", "2.5"),
        model="paywright.models.subscriptions:TrialDays",
    ),
    "Price": Struct(
        "Price",
        "spec/subscriptions.yaml",
        50,
        (
            Field("priceId", "price_id", "text", "string", 51, required=True),
            Field("quantity", "quantity", "number", "number", 52, required=True),
        ),
        sections=("4.5",),
        model="paywright.models.subscriptions:Price",
    ),
    "PriceShown": Struct(
        "PriceShown",
        "spec/subscriptions.yaml",
        54,
        (
            Field("priceId", "price_id", "text", "string", 55, required=True, also="priceID"),
            Field("quantity", "quantity", "number", "number", 52, required=True),
        ),
        sections=("2.5",),
        model="paywright.models.subscriptions:PriceShown",
    ),
    "SubscriptionCreated": Struct(
        "SubscriptionCreated",
        "spec/subscriptions.yaml",
        57,
        (
            Field("subscriptionRequestId", "subscription_request_id", "text", "string max 64", 58, required=True),
            Field(
                "subscriptionPlan",
                "subscription_plan",
                "struct",
                "SubscriptionPlan",
                59,
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
        61,
        (
            Field("subscriptionNo", "subscription_no", "text", "string", 62, required=True),
            Field(
                "subscriptionStatus",
                "subscription_status",
                "set",
                "SubscriptionStatus max 32",
                63,
                required=True,
                of="SubscriptionStatus",
            ),
            Field("subject", "subject", "text", "string", 64),
            Field("description", "description", "text", "string", 65),
            Field("totalPeriods", "total_periods", "text", "string", 66),
            Field("periodRule", "period_rule", "struct", "PeriodRuleShown", 67, of="PeriodRuleShown"),
            Field("periodAmount", "period_amount", "struct", "Money", 68, of="Money"),
            Field(
                "trialPeriodConfig", "trial_period_config", "struct", "TrialPeriodsShown", 69, of="TrialPeriodsShown"
            ),
            Field("trialConfig", "trial_config", "struct", "TrialDays", 70, of="TrialDays"),
            Field("prices", "prices", "struct", "PriceShown[]", 71, of="PriceShown", array=True),
        ),
        sections=("2.5",),
        model="paywright.models.subscriptions:SubscriptionPlan",
    ),
    "PeriodRuleShown": Struct(
        "PeriodRuleShown",
        "spec/subscriptions.yaml",
        73,
        (
            Field("periodUnit", "period_unit", "text", "string", 74, required=True),
            Field("periodCount", "period_count", "text", "string", 75, required=True),
        ),
        sections=("2.5",),
        model="paywright.models.subscriptions:PeriodRuleShown",
    ),
    "TrialPeriodsShown": Struct(
        "TrialPeriodsShown",
        "spec/subscriptions.yaml",
        77,
        (
            Field("trialPeriodCount", "trial_period_count", "text", "string", 78, required=True),
            Field("trialPeriodAmount", "trial_period_amount", "struct", "MoneyPart", 79, required=True, of="MoneyPart"),
        ),
        sections=("2.5",),
        model="paywright.models.subscriptions:TrialPeriodsShown",
    ),
    "subscriptions.create.request": Struct(
        "subscriptions.create.request",
        "spec/subscriptions.yaml",
        13,
        (
            Field(
                "version",
                "version",
                "text",
                "string",
                192,
                required=True,
                source="operation.version",
                file="spec/service.yaml",
            ),
            Field(
                "keyVersion", "key_version", "text", "string", 193, required=True, sends="1", file="spec/service.yaml"
            ),
            Field(
                "requestTime",
                "request_time",
                "datetime",
                "time",
                194,
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
                195,
                required=True,
                source="merchant.app_id",
                file="spec/service.yaml",
            ),
            Field(
                "merchantNo",
                "merchant_no",
                "text",
                "string max 32",
                196,
                source="merchant.merchant_no",
                file="spec/service.yaml",
            ),
            Field(
                "data",
                "data",
                "struct",
                "subscriptions.create.request.data",
                197,
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
        13,
        (
            Field("subscriptionRequestId", "subscription_request_id", "text", "string max 64", 15, required=True),
            Field("userId", "user_id", "text", "string max 64", 16, required=True, redaction="pii"),
            Field("callbackUrl", "callback_url", "text", "string max 256", 17, required=True),
            Field("subscriptionPlan", "subscription_plan", "struct", "NewPlan", 18, required=True, of="NewPlan"),
        ),
        sections=("4.5",),
    ),
    "subscriptions.create.response": Struct(
        "subscriptions.create.response",
        "spec/subscriptions.yaml",
        23,
        (
            Field("code", "code", "text", "string", 201, required=True, file="spec/service.yaml"),
            Field("msg", "msg", "text", "string", 202, file="spec/service.yaml"),
            Field(
                "data", "data", "struct", "SubscriptionCreated", 203, of="SubscriptionCreated", file="spec/service.yaml"
            ),
        ),
        sections=("4.5",),
        rules=(
            Rule(
                "success-has-data",
                "when code is APPLY_SUCCESS, need data",
                "when code is APPLY_SUCCESS, need data",
                205,
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
        89,
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
        returned=(),
        stated=(),
        sections=("3", "2.5"),
    ),
}
