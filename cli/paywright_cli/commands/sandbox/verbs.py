"""The verbs of `paywright sandbox`: each is a route of the control API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class Verb(NamedTuple):
    """Tell what a command does: call one route, or the `other`, as the number of words without a name decides.

    These words are the numbers in the path, and then the fields `first`, which need no name.
    """

    words: str
    route: str
    other: str = ""
    first: tuple[str, ...] = ()


_TRIGGERS: Final = {
    "pay": Verb("the payer pays an open order", "POST orders/{outTradeNo}/pay"),
    "fail": Verb("the payment of an open order fails", "POST orders/{outTradeNo}/fail"),
    "close": Verb("an open order is closed, as if it had expired", "POST orders/{outTradeNo}/close"),
    "bounce": Verb("the money of a paid order is returned to its payer", "POST orders/{outTradeNo}/bounce"),
    "settle-refund": Verb("a pending refund succeeds", "POST refunds/{outRefundNo}/settle"),
    "fail-refund": Verb("a pending refund fails", "POST refunds/{outRefundNo}/fail"),
    "receive": Verb("a transfer comes in: amount=10.00 currency=USD", "POST transfers"),
    "settle": Verb("a transfer that is to be proved is settled", "POST transfers/{requestNo}/settle"),
    "reject": Verb("a transfer that is to be proved is rejected", "POST transfers/{requestNo}/reject"),
    "bill": Verb("a bill is paid if the merchant confirms: referenceNo=BILL_1 amount=100.00", "POST bill-payments"),
    "redeliver": Verb("a notification is delivered once more", "POST notifications/{id}/redeliver"),
    "link": Verb("a payment link is made", "POST links"),
    "open-link": Verb("the payer opens a payment link", "POST links/{linkId}/open"),
    "delete-token": Verb("a payment token is deleted", "POST tokens/{paymentTokenID}/delete"),
    "cancel": Verb("a plan is cancelled", "POST subscriptions/{subscriptionNo}/cancel"),
    "terminate": Verb("a plan is terminated", "POST subscriptions/{subscriptionNo}/terminate"),
    "fail-next": Verb("the next charges of a plan fail", "POST subscriptions/{subscriptionNo}/fail-next"),
    "credit": Verb("a balance is credited", "POST balances"),
    "settle-exchange": Verb("a pending exchange succeeds", "POST exchanges/{outTradeNo}/settle"),
    "fail-exchange": Verb("a pending exchange fails", "POST exchanges/{outTradeNo}/fail"),
    "withdraw": Verb("a withdraw order is made", "POST withdrawals"),
    "settle-withdrawal": Verb("a withdraw order succeeds", "POST withdrawals/{outTradeNo}/settle"),
    "fail-withdrawal": Verb("a withdraw order fails", "POST withdrawals/{outTradeNo}/fail"),
    "open-case": Verb("a chargeback case is opened", "POST cases"),
    "move-case": Verb("a chargeback case is moved", "POST cases/{caseId}"),
}

_CLOCK: Final = "clock, and what is due next"
_ADVANCE: Final = "move the clock forward, by 90s, 10m, 2h, 30d or 1d12h or to=TIME, and print what happened on the way"
COMMANDS: Final[Mapping[str, tuple[str, Mapping[str, Verb]]]] = {
    "trigger": ("make something happen: pay ORD_1, fail ORD_1, receive amount=10.00 currency=USD, ...", _TRIGGERS),
    "advance": ("move the clock forward", {"": Verb(_ADVANCE, "POST clock/advance", first=("seconds",))}),
    "clock": ("show the clock, stop it or let it run", {
        "": Verb(f"show the {_CLOCK}", "GET clock"),
        "freeze": Verb("stop it", "POST clock/freeze"),
        "resume": Verb("let it run", "POST clock/resume"),
    }),
    "notifications": ("show the outbox, or one notification with its attempts", {
        "": Verb("show the outbox, or the notification of a NUMBER", "GET notifications", "GET notifications/{id}"),
    }),
    "events": ("print what happened in the sandbox, the latest last", {"": Verb("print the events", "GET events")}),
    "fault": ("inject faults into answers and notifications, before or after the commit", {
        "add": Verb("add a rule: KIND, and fields", "POST faults", first=("kind",)),
        "list": Verb("show the rules, and how often each was applied", "GET faults"),
        "clear": Verb("take the rule of a NUMBER away, or all", "DELETE faults", "DELETE faults/{id}"),
    }),
    "merchants": ("list, add or remove merchants", {
        "": Verb("list the merchants", "GET merchants"),
        "list": Verb("list the merchants; the same as no action", "GET merchants"),
        "remove": Verb("remove a merchant who was added, by APP_ID; its orders stay", "DELETE merchants/{appId}"),
    }),
    "snapshot": ("save, restore, list and remove snapshots of the whole state", {
        "save": Verb("save the current state, under a NAME", "POST snapshots", first=("name",)),
        "restore": Verb("replace the state by the snapshot of a NAME", "POST snapshots/{name}/restore"),
        "list": Verb("list the stored snapshots, the latest first", "GET snapshots"),
        "remove": Verb("remove the snapshot of a NAME", "DELETE snapshots/{name}"),
    }),
    "reset": ("empty the whole state", {
        "": Verb("empty the state: orders, money, notifications, clock, log and added merchants; keys, sandbox.toml "
                  "and snapshots stay", "POST reset"),
    }),
}  # fmt: skip

EXAMPLES: Final = {
    "trigger": """examples:
  paywright sandbox trigger pay ORD_1
  paywright sandbox trigger receive amount=10.00 currency=USD status=SETTLED
  paywright sandbox trigger reject RV0000000001... why='the payer is unknown'
""",
    "clock": """examples:
  paywright sandbox clock freeze
  paywright sandbox clock resume
""",
    "fault": """examples:
  paywright sandbox fault add reset operation=orders.checkout times=1
  paywright sandbox fault add code code=SYSTEM_ERROR when=before operation=refunds.create key=REF_1
  paywright sandbox fault add hang seconds=30 probability=0.2
  paywright sandbox fault list
  paywright sandbox fault clear 2
""",
    "merchants": """A merchant who is added may call at once, and stays until it is removed or the sandbox is reset. Merchants of
sandbox.toml and of `paywright sandbox --merchant` are settings, and are changed there.

examples:
  paywright sandbox merchants list
  paywright sandbox merchants add app_2:MN0000000000002:keys/second.pub
  paywright sandbox merchants remove app_2
""",
    "snapshot": """A snapshot is the whole state: orders, money, notifications, clock, faults, log and added merchants. Under a
NAME it is stored in the folder `snapshots` beside the state; a FILE can be moved to another folder or machine. Both contain
whatever payers entered, and are readable by their owner only.

examples:
  paywright sandbox snapshot save before-refunds
  paywright sandbox snapshot restore before-refunds
  paywright sandbox snapshot save --output state.sqlite3
  paywright sandbox snapshot restore --input state.sqlite3
  paywright sandbox snapshot list
  paywright sandbox snapshot remove before-refunds
""",
}
