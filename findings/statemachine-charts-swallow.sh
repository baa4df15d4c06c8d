#!/usr/bin/env bash
# python-statemachine 3.2.2 and transitions 0.9.3, seen on 2026-12-01.
# One would guess: if the action of a transition raises, the caller gets the error, and the state is as it was; an unknown event is one too.
# What happens: StateChart, which is new in 3, tells nobody: `send` raises nothing, and if it was the transition's own action, or that of
# entering the state, the order is paid, and what follows is run. An unknown event is passed over. StateMachine raises, and only the last
# action leaves it paid; transitions raises, and from `on_enter` on it is paid.
# Why it matters: the call to the gateway fails within the action, and the order is shipped.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet python-statemachine==3.2.2 transitions==0.9.3 || exit 2
venv/bin/python - <<'PY'
import transitions
from statemachine import State, StateChart, StateMachine


def order_of(base):
    class Order(base):
        new = State(initial=True)
        paid = State()
        pay = new.to(paid)
        refund = paid.to(new)

        def __init__(self, failing):
            self.failing, self.ran = failing, []
            super().__init__()

        def act(self, name):
            self.ran.append(name)
            if name == self.failing:
                raise OSError("no answer")

        def before_pay(self):
            self.act("before")

        def on_pay(self):
            self.act("on")

        def on_enter_paid(self):
            self.act("enter")

        def after_pay(self):
            self.act("after")

        def send(self, event):
            try:
                super().send(event)
            except Exception as error:
                return type(error).__name__, [state.id for state in self.configuration]
            return "no error", [state.id for state in self.configuration]

    return Order


def of_transitions(failing):
    def fail():
        raise OSError("no answer")

    order = transitions.Machine(states=["new", {"name": "paid", "on_enter": [fail] if failing == "enter" else []}], initial="new")
    order.add_transition("pay", "new", "paid", **{part: fail for part in ("before", "after") if part == failing})
    try:
        order.pay()
    except OSError:
        return "OSError", [order.state]
    return "no error", [order.state]


seen = {}
for base in (StateChart, StateMachine):
    orders = {name: order_of(base)(name) for name in ("before", "on", "enter", "after")}
    seen[base.__name__] = {name: order.send("pay") for name, order in orders.items()}
    print(base.__name__, seen[base.__name__], {name: order.ran for name, order in orders.items()})
    seen[base.__name__]["unknown"] = order_of(base)("").send("pya")
    if base is StateChart:
        assert orders["on"].ran == ["before", "on", "enter", "after"], "this has changed"
seen["transitions"] = {name: of_transitions(name) for name in ("before", "enter", "after")}
print(seen["transitions"])
new, paid = ("OSError", ["new"]), ("OSError", ["paid"])
none = ("no error", ["paid"])
assert seen == {
    "StateChart": {"before": ("no error", ["new"]), "on": none, "enter": none, "after": none, "unknown": ("no error", ["new"])},
    "StateMachine": {"before": new, "on": new, "enter": new, "after": paid, "unknown": ("TransitionNotAllowed", ["new"])},
    "transitions": {"before": new, "enter": paid, "after": paid},
}, "this has changed"
PY
