"""The whole gateway, end to end, against a sandbox on this machine: what `make demo` runs.

Every operation of the contract is called through the SDK; the shop is a server here whose `Receiver` is told.
Every line says what really happened. Whatever is not as it should be ends the program with exit code 1.
"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

from demo_parts.audited import audited, rest
from demo_parts.followed import followed
from demo_parts.forged import forger
from demo_parts.gateway import Gateway, run, served
from demo_parts.money import accounts, bills, cases, exchanges, transfers, withdrawals
from demo_parts.payments import bank_style, links, tokens
from demo_parts.received import checked, remembered
from demo_parts.shop import Shop, opened
from demo_parts.subscription import subscription
from demo_parts.words import expect, fail, step, title

from paywright import (
    BuyerInfo,
    Client,
    ContractViolation,
    DropInPaymentDetail,
    GatewayError,
    OutcomeUnknown,
)
from paywright_cli.common.loading import environment


def main() -> None:
    """Run the tour in a folder of its own."""
    with TemporaryDirectory(prefix="paywright-demo-") as made:
        folder = Path(made) / "shop"
        run("sandbox", "init", str(folder))
        step("made a sandbox: keys for merchant and gateway, settings, .env")
        with opened(folder) as shop:
            tell(folder / "sandbox.toml", shop)
            with served(folder) as gateway:
                step(f"the gateway answers on {gateway.address}, the shop on {shop.address}")
                env = {**environment(folder / ".env"), "PAYWRIGHT_BASE_URL": gateway.address}
                with Client.from_env(env) as client:
                    everything(client, gateway, shop, env)
                    refused = rest(client, gateway, folder)
                followed(shop, folder)
                remembered(shop)
                checked(shop, folder)
                audited(gateway, folder, refused)
            step("the sandbox stopped cleanly")
    print("\nAll of it happened as it should.")


def tell(settings: Path, shop: Shop) -> None:
    """Where the merchant is told, asked and paid: what sandbox.toml has for it, filled in."""
    addresses = {
        "notify-url": "orders",
        "refund-notify-url": "refunds",
        "va-result-notify-url": "transfers",
        "bill-payment-validation-url": "bills",
    }
    lines = "".join(f'{name} = "{shop.address}/{path}"\n' for name, path in addresses.items())
    text = settings.read_text(encoding="utf-8")
    first = "snap-client-secret ="
    expect(text.count(first) == 1, "sandbox.toml has one merchant")
    settings.write_text(text.replace(first, lines + first), encoding="utf-8")


def everything(client: Client, gateway: Gateway, shop: Shop, env: dict[str, str]) -> None:
    """Call every operation, one part after the other."""
    place_and_pay(client, gateway, shop)
    refund(client, gateway, shop)
    tokens(client, gateway)
    links(client, gateway)
    subscription(client, gateway, shop)
    exchanges(client, gateway)
    withdrawals(client, gateway)
    accounts(client)
    cases(client, gateway)
    bank_style(client)
    transfers(gateway, shop)
    bills(gateway, shop)
    refused_locally(client, gateway)
    forged(client, env)


def place_and_pay(client: Client, gateway: Gateway, shop: Shop) -> None:
    """Place a hosted order, pay it at the cashier, and be notified."""
    title("A hosted order")
    order = client.orders.checkout(
        out_trade_no="DEMO_1",
        subject="Two tickets",
        total_amount=Decimal("10.50"),
        currency="USD",
        user_id="user_7001",
        front_callback_url="https://shop.example/back",
    )
    expect(
        order.status == "PENDING" and (order.redirect_url or "").startswith(gateway.address),
        "a hosted order waits for its payer",
    )
    step(f"orders.checkout: {order.answer.code}; {order.out_trade_no} is {order.status}, pay at {order.redirect_url}")

    title("A Drop-In order")
    drop_in = client.orders.drop_in(
        out_trade_no="DEMO_2",
        subject="One ticket",
        total_amount=Decimal("5.25"),
        currency="USD",
        country="US",
        user_id="user_7001",
        terminal_type="WEB",
        front_callback_url="https://shop.example/back",
        payment_detail=DropInPaymentDetail(
            buyer_info=BuyerInfo(client_ip="203.0.113.7", user_agent="Mozilla/5.0"), session_key="from the page"
        ),
    )
    expect(drop_in.out_trade_no == "DEMO_2" and drop_in.status.is_known, "a Drop-In order has a state")
    step(f"orders.drop_in: {drop_in.answer.code}; {drop_in.out_trade_no} is {drop_in.status}")

    title("The payer pays")
    paid = gateway.post("orders/DEMO_1/pay")
    expect(paid["status"] == "SUCCESS", "the sandbox let the payer pay")
    found = client.orders.query(out_trade_no="DEMO_1")
    is_paid = found.status is not None and found.status.is_paid
    expect(is_paid, "a paid order says so")
    step(f"orders.query: DEMO_1 is {found.status}, {found.trade.amount} {found.trade.currency}, paid: {is_paid}")
    gateway.advance(0)
    told = shop.results("orders", "DEMO_1")
    expect(told == [("SUCCESS", "notification")], "the shop is told once")
    step(f"the shop was told, and the signature holds: DEMO_1 is {told[0][0]}")


def refund(client: Client, gateway: Gateway, shop: Shop) -> None:
    """Refund a part of an order, and be notified."""
    title("A refund")
    created = client.refunds.create(
        out_refund_no="DEMO_REF_1", out_trade_no="DEMO_1", refund_amount=Decimal("4.25"), refund_currency="USD"
    )
    step(f"refunds.create: {created.answer.code}; {created.out_refund_no} is {created.status}")
    gateway.advance(3)
    found = client.refunds.query(out_refund_no="DEMO_REF_1")
    expect(found.status == "REFUND_SUCCESS" and found.refund_amount == Decimal("4.25"), "the refund succeeded in full")
    step(
        f"refunds.query, 3 seconds of its clock later: {found.status} of {found.refund_amount} {found.refund_currency}"
    )
    told = shop.results("refunds", "DEMO_REF_1")
    expect(told == [("REFUND_SUCCESS", "notification")], f"the shop is told of the refund, not {told}")
    step(f"the shop was told: {told[0][0]}")


def refused_locally(client: Client, gateway: Gateway) -> None:
    """Show that a request that breaks the contract is never sent."""
    title("A request that breaks the contract")
    before = gateway.get("orders")
    try:
        client.orders.checkout(
            out_trade_no="NO SPACES",
            subject="x" * 257,
            total_amount=10.5,  # type: ignore[arg-type]  # a float, as somebody untyped would pass it
            currency="usd",
            user_id="user_7001",
            front_callback_url="nowhere",
        )
    except ContractViolation as error:
        violations = error.violations
    else:
        violations = ()
    codes = {violation.pointer: violation.code for violation in violations}
    expect(
        codes
        == {
            "/data/outTradeNo": "format",
            "/data/subject": "max",
            "/data/totalAmount": "type",
            "/data/currency": "format",
            "/data/frontCallbackUrl": "format",
        },
        f"all five violations are found at once, not {codes}",
    )
    for violation in violations:
        step(f"refused: {violation}")
    expect(gateway.get("orders") == before, "the gateway heard nothing of it")
    step("nothing was sent: the gateway has the same orders as before")


def forged(client: Client, env: dict[str, str]) -> None:
    """Show that an answer with another's signature is not believed."""
    title("A forged answer")
    with forger() as (address, requests), Client.from_env({**env, "PAYWRIGHT_BASE_URL": address}) as deceived:
        unknown: OutcomeUnknown | None = None
        try:
            deceived.orders.checkout(
                out_trade_no="DEMO_3",
                subject="A trap",
                total_amount=Decimal("1.00"),
                currency="USD",
                user_id="user_7001",
                front_callback_url="https://shop.example/back",
            )
        except OutcomeUnknown as error:
            unknown = error
        expect(len(requests) == 1, "the request went out once")
    if unknown is None:
        fail("the forged answer was believed")
    expect(unknown.reason == "bad_signature" and unknown.code is None, "it is its signature that gives it away")
    step(f"not believed: {unknown}")
    try:
        client.orders.query(out_trade_no=str(unknown.key))
    except GatewayError as error:
        expect(error.code == "ORDER_NOT_EXIST", "the real gateway knows no such order")
        step(f"settled by orders.query, verified: {error.code}")
    else:
        fail("the real gateway has an order that it never saw")


if __name__ == "__main__":
    main()
