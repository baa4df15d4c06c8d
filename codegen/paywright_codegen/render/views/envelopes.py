"""Views of `envelopes.py.jinja`: the validators that messages of one envelope share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from paywright_codegen import naming
from paywright_codegen.model.contract import Contract
from paywright_codegen.model.operations import MessageSpec
from paywright_codegen.render.python.doc_text import wrapped
from paywright_codegen.render.views.validators import MemberTest, ValidatorView

_Statements = tuple[tuple[MemberTest, ...], tuple[tuple[str, str, str], ...]]


class EnvelopeView:
    """A function that makes the validator of a message from the validator of its payload."""

    def __init__(self, contract: Contract, envelope: str, message: MessageSpec) -> None:
        self.payload = message.payload or ""
        self.function = naming.variable(f"{envelope}_{message.role}")
        view = ValidatorView(contract, message.root, message.payload)
        self.checks, self.rule_checks = view.checks, view.rule_checks
        self.doc = wrapped(
            f"Make the validator of a {message.role} in the envelope `{envelope}` from that of its `{self.payload}`.", 4
        )


def shared_envelopes(contract: Contract) -> dict[str, EnvelopeView]:
    """Return the shared validator of every message that has one, by the name of the message's root.

    For each envelope and role, the statements that most messages have in common are shared. A message whose root tests
    anything else has a validator of its own.
    """
    alike: dict[str, dict[_Statements, list[tuple[str, MessageSpec]]]] = defaultdict(lambda: defaultdict(list))
    for envelope, message in _enveloped(contract):
        one = ValidatorView(contract, message.root, message.payload)
        statements = (tuple(one.tests_as("")), tuple(one.rule_checks))
        alike[naming.variable(f"{envelope}_{message.role}")][statements].append((envelope, message))
    shared: dict[str, EnvelopeView] = {}
    for groups in alike.values():
        messages = max(groups.values(), key=len)
        if len(messages) > 1:
            view = EnvelopeView(contract, *messages[0])
            shared |= dict.fromkeys((message.root.name for _, message in messages), view)
    return shared


def _enveloped(contract: Contract) -> Iterator[tuple[str, MessageSpec]]:
    for operation in contract.operations.values():
        for message in operation.messages:
            if not message.root.named and _wraps_payload_alone(message):
                yield operation.envelope, message


def _wraps_payload_alone(message: MessageSpec) -> bool:
    """Return whether the payload is its only object, so that no other validator is called."""
    objects = [field.wire for field in message.root.fields if field.type.kind == "struct"]
    return message.payload is not None and objects == [message.payload]
