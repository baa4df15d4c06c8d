"""Three messages as real ones are: an order with many parts, a paid order's inquiry, and the notification of a transfer."""

from __future__ import annotations

Json = dict[str, object]

ORDER: Json = {
    "version": "1.5",
    "keyVersion": "1",
    "requestTime": "2025-06-01T12:00:00.000+08:00",
    "appId": "app_55d1c0ffee",
    "merchantNo": "M100200300",
    "data": {
        "outTradeNo": "ORD_20250601_0001",
        "integrate": "Hosted_Checkout",
        "subject": "Two concert tickets and a programme",
        "totalAmount": 128.5,
        "currency": "USD",
        "country": "SG",
        "userId": "user_7001",
        "language": "EN",
        "reference": "basket 4711; campaign spring",
        "frontCallbackUrl": "https://shop.example/back?order=ORD_20250601_0001",
        "notifyUrl": "https://shop.example/notify",
        "expireTime": "3600",
        "paymentDetail": {"paymentMethodType": "WALLET", "targetOrg": "EWALLET", "tokenForFutureUse": True},
        "envInfo": {"deviceId": "d-81", "deviceLanguage": "en", "screenHeight": "2532", "screenWidth": "1170"},
        "subMerchant": {"subMerchantNo": "S1"},
        "goodsDetails": [
            {
                "goodsId": f"G{number}",
                "goodsName": name,
                "quantity": "2",
                "price": price,
                "goodsCurrency": "USD",
                "showUrl": f"https://shop.example/g/{number}",
                "goodsCategory": "tickets",
            }
            for number, name, price in (
                (1, "Ticket, row 7", "59.00"),
                (2, "Programme", "5.25"),
                (3, "Coat check", "0.00"),
            )
        ],
        "shippingInfo": {
            "firstName": "Ada",
            "lastName": "Lovelace",
            "phoneNo": "+6591234567",
            "email": "ada@mail.example",
            "address1": "1 Raffles Place",
            "address2": "#20-01",
            "city": "Singapore",
            "country": "SG",
            "zipCode": "048616",
        },
        "billingInfo": {
            "firstName": "Ada",
            "lastName": "Lovelace",
            "email": "ada@mail.example",
            "address1": "1 Raffles Place",
            "city": "Singapore",
            "country": "SG",
            "zipCode": "048616",
        },
    },
}

INQUIRY: Json = {
    "code": "APPLY_SUCCESS",
    "msg": "Success.",
    "data": {
        "outTradeNo": "ORD_20250601_0001",
        "tradeNo": "TT2025060100000001",
        "status": "SUCCESS",
        "notifyEmail": "payee@mail.example",
        "reference": "basket 4711; campaign spring",
        "transactionUtcTime": "2025-06-01T12:00:00.000+08:00",
        "payFinishTime": "2025-06-01T12:03:11 +0800",
        "trade": {"amount": "128.50", "currency": "USD"},
        "source": {"amount": "173.20", "currency": "SGD", "exchangeRate": "1.34786", "fee": "1.20", "feeCurrency": "SGD"},
        "destination": {
            "amount": "126.10", "currency": "USD", "exchangeRate": "1", "fee": "2.40", "feeCurrency": "USD", "tax": "0.17",
            "taxCurrency": "USD",
        },
        "additionalIdentifier": {"referenceId": "BANK-20250601-77"},
    },
}  # fmt: skip

NOTIFICATION: Json = {
    "code": "APPLY_SUCCESS",
    "msg": "Success.",
    "version": "1.0",
    "keyVersion": "1",
    "appId": "app_55d1c0ffee",
    "merchantNo": "M100200300",
    "notifyTime": "2025-06-01T12:00:00.000+08:00",
    "notifyType": "RECEIVE",
    "data": {
        "requestNo": "RQ2025060100000001",
        "channelTradeNo": "BANK-20250601-77",
        "status": "TO_BE_PROVED",
        "transactionUtcTime": "2025-06-01T12:00:00.000+08:00",
        "completeTime": "2025-06-01T12:00:04.120+08:00",
        "paymentDetail": {
            "payeeInfo": {"country": "SG", "accountNo": "9001002003", "accountNickName": "main", "bankCode": "DBSSSGSG"},
            "payerInfo": {
                "accountNo": "9001002004", "accountName": "Ada Lovelace", "bankCode": "OCBCSGSG", "bankName": "Oversea Bank",
                "bankBranch": "Raffles",
            },
            "settle": {
                "amount": "126.10", "currency": "USD", "fee": "2.40", "feeCurrency": "USD", "tax": "0.17", "taxCurrency": "USD",
            },
            "trade": {"amount": "128.50", "currency": "USD"},
            "remark": "invoice 4711",
        },
        "errorCode": "",
        "errorMsg": "",
    },
}  # fmt: skip

DOCUMENTS: dict[str, Json] = {
    "orders.checkout.request": ORDER,
    "orders.query.response": INQUIRY,
    "notifications.receive.notification": NOTIFICATION,
}
