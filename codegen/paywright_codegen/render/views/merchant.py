"""Views of `merchant.py.jinja`, `signatures.py.jinja` and `receiver.py.jinja`: the merchant's numbers and signatures, and what it handles."""

from __future__ import annotations

from paywright_codegen import naming
from paywright_codegen.lookup import notified_numbers, payload_struct, told
from paywright_codegen.model.contract import Contract, Number, Signature
from paywright_codegen.model.operations import Operation
from paywright_codegen.model.types import Field
from paywright_codegen.python_types import parameter_type
from paywright_codegen.render.views.doc_text import joined, wrapped


class FormView:
    """One form of a signature that the merchant chooses, as a class."""

    def __init__(self, contract: Contract, signature: Signature) -> None:
        self.setting = signature.chosen_by or ""
        every = (operation.asks.headers for operation in contract.operations.values())
        signed = (each for each in every if any(one.source == f"merchant.{self.setting}" for one in each))
        fields = [field for each in signed for field in each]
        self.option = signature.name.removeprefix(_front(self.setting))
        self.class_name = naming.resource_class(signature.name)
        self.keyed = signature.algorithm.startswith("RSA-")
        self.base = "KeySignature" if self.keyed else "SecretSignature"
        self.header = next((one.wire for one in fields if one.source == f"merchant.{self.setting}"), "")
        self.time = next((one.wire for one in fields if one.source == "clock"), "")
        self.covers = signature.covers
        self.hash = "" if self.keyed else signature.algorithm.removeprefix("HMAC-").lower()
        self.beside = tuple(signature.sends.split(": ", 1)) if signature.sends is not None else None
        made = signature.written.strip("{}").replace("base64 of", "Base64 of")
        summary = f"{signature.prose.summary.rstrip('.')} [{', '.join(signature.sections)}]."
        said = f"{made} over `{signature.covers}`, in the header `{self.header}`."
        if self.beside is not None:
            said += f" Beside it stands `{signature.sends}`."
        self.doc = [*wrapped(summary, 4), "", *wrapped(said, 4)]
        self.secrets = (
            () if self.keyed else tuple(f"{_front(self.setting)}{name}" for name in ("client_secret", "access_token"))
        )


def _front(setting: str) -> str:
    return f"{setting.removesuffix('_signature')}_"


class MerchantView:
    """The class of a merchant: an argument for every number, and the keys."""

    def __init__(self, contract: Contract, package: str) -> None:
        self._contract = contract
        self._package = package
        numbers = sorted(contract.numbers.values(), key=lambda number: not number.required)
        self.forms = [FormView(contract, one) for one in contract.signatures.values() if one.chosen_by is not None]
        texts = [number for number in numbers if number.kind != "signer"]
        self.numbers = tuple(number.name for number in texts)
        self.required = tuple(number.name for number in texts if number.required)
        self.identity = tuple(number.name for number in texts if number.kind == "id")
        self.notified = notified_numbers(contract)
        self.signers = tuple(number.name for number in numbers if number.kind == "signer")
        self.slots = (*self.numbers, *self.signers)
        self._first = [number for number in numbers if number.required]
        self._others = [number for number in numbers if not number.required]

    @property
    def settings(self) -> tuple[str, ...]:
        """Return the names of all settings of the environment that come from the contract."""
        return (*self.numbers, *self.signers, *dict.fromkeys(secret for form in self.forms for secret in form.secrets))

    @property
    def choices(self) -> dict[str, dict[str, str]]:
        """Return the classes of the forms of each signer, by the words that choose them."""
        path = f"{self._package}.signatures"
        return {
            signer: {form.option: f"{path}:{form.class_name}" for form in self.forms if form.setting == signer}
            for signer in self.signers
        }

    @property
    def attributes(self) -> dict[str, str]:
        """Return the attributes of the merchant, each with its type as source."""
        kinds = {one.name: _type(one) for one in (*self._first, *self._others)}
        return {name: kinds[name] for name in self.slots}

    @property
    def parameters(self) -> list[str]:
        """Return the parameters of the constructor, as source."""
        keys = ("private_key: Path | str | bytes | Signer", "gateway_keys: Sequence[Path | str | bytes] | Verifier")
        first = (f"{each.name}: {_type(each)}" for each in self._first)
        return [*first, *keys, *(f"{each.name}: {_type(each)} = None" for each in self._others)]

    @property
    def doc(self) -> list[str]:
        """Return the docstring of the class."""
        lines = ["A merchant's numbers and keys.", "", "Args:"]
        for number in self._first:
            lines += _argument(number.name, self._words(number))
        lines += _argument("private_key", _PRIVATE_KEY)
        lines += _argument("gateway_keys", _GATEWAY_KEYS)
        for number in self._others:
            lines += _argument(number.name, self._words(number))
        problem = _argument("KeyProblem", "a key cannot be used; the message says why and shows none of it.")
        return [*lines, "", "Raises:", *problem]

    @property
    def addressee_doc(self) -> list[str]:
        """Return a receiver's description of the numbers that notifications name."""
        lines = ["Args:"]
        for name in self.notified:
            number = self._contract.numbers[name]
            tail = "" if number.required else "; compared if it is given and the notification has one too"
            lines += _argument(name, f"{number.prose.text}{tail}.")
        return lines

    def _words(self, number: Number) -> str:
        words, source = [number.prose.text], f"merchant.{number.name}"
        called = [one for one in self._contract.operations.values() if not one.inbound]
        needing = [
            one.name for one in called if any(each.required and each.source == source for each in one.asks.fields)
        ]
        if number.kind == "signer":
            forms = [f"`{form.class_name}(...)`" for form in self.forms if form.setting == number.name]
            words.append(f"{', '.join(forms)}, or your own")
        elif needing and not number.required:
            words.append(f"needed by {joined(needing)}")
        cited = f" [{', '.join(number.sections)}]" if number.sections else ""
        return f"{'; '.join(word for word in words if word)}{cited}."


def _type(number: Number) -> str:
    return "str" if number.required else f"{'CallSignature' if number.kind == 'signer' else 'str'} | None"


def _argument(name: str, words: str) -> list[str]:
    first, *more = wrapped(f"{name}: {words}", 12)
    return [f"    {first}", *(f"        {line}" for line in more)]


_PRIVATE_KEY = (
    "the merchant's RSA key of 2048 bits: a `Path` to a file, or key text as PEM or one line of Base64, PKCS#8 or PKCS#1; or a "
    "`Signer` of your own, so that a KMS or an HSM signs."
)
_GATEWAY_KEYS = "the gateway's public keys, the same forms; several may be live at once. Or a `Verifier` of your own."


class NotificationView:
    """A notification as a decorator for its handler."""

    def __init__(self, contract: Contract, operation: Operation) -> None:
        self.name = operation.name
        self.method = f"on_{operation.verb}"
        self.data = payload_struct(contract, operation.asks)[1].name
        self._operation = operation

    @property
    def doc(self) -> list[str]:
        """Return the docstring of the decorator."""
        lines = _head(self._operation)
        fields = joined(".".join(map(naming.variable, path)) for path in self._operation.once_per)
        said = f"`event.data` is the {self.data}. It has one effect for each {fields}."
        return [*lines, "", *wrapped(said, 8)]


class QuestionView:
    """A question to the merchant: a class with `accept` and `refuse`, and a decorator for the function that decides."""

    def __init__(self, contract: Contract, operation: Operation) -> None:
        assert operation.decides is not None  # the linter requires it
        decision = told(contract, operation.answers)
        self.name = operation.name
        self.method = f"on_{operation.verb}"
        self.asked = operation.asks.result or ""
        self.class_name = f"{self.asked}Question"
        self.decision = decision.name
        self.module = naming.module(decision.place)
        self._contract = contract
        self._operation = operation
        self._decides = operation.decides
        self._fields = decision.fields
        self._echoed = {field.wire for field in payload_struct(contract, operation.asks)[1].fields}

    @property
    def doc(self) -> list[str]:
        """Return the docstring of the decorator."""
        said = (
            f"The function gets a {self.class_name} and returns a {self.decision}, such as its accept(...) or refuse(...). "
            "It runs in a thread of its own; when it fails or takes longer than `bill_deadline`, the answer is a refusal. "
            "It must have no effect: the question carries neither who is asked nor when, and may come again."
        )
        return [*_head(self._operation), "", *wrapped(said, 8)]

    @property
    def class_doc(self) -> list[str]:
        """Return the docstring of the class."""
        asked = self._contract.structs[self.asked]
        return wrapped(f"{asked.prose.summary.rstrip('.')} [{', '.join(asked.sections)}].", 4)

    def _asked_for(self) -> list[Field]:
        """Return the fields that the merchant fills in to accept: those that neither repeat the question nor decide."""
        skipped = {self._decides.member, self._decides.reason, *self._echoed}
        return [field for field in self._fields if field.wire not in skipped]

    @property
    def arguments(self) -> list[str]:
        """Return the arguments of `accept`."""
        fields = sorted(self._asked_for(), key=lambda field: not field.required)
        return [f"{naming.variable(one.wire)}: {parameter_type(self._contract, one)}" for one in fields]

    @property
    def accepted(self) -> list[str]:
        """Return the members of an acceptance, as keyword arguments."""
        return [*self._common(self._decides.yes), *(f"{name}={name}" for name in map(_python, self._asked_for()))]

    @property
    def refused(self) -> list[str]:
        """Return the members of a refusal, as keyword arguments. Its amounts are 0."""
        zeros = [f"{_python(field)}=0" for field in self._asked_for() if field.required]
        cut = next((field.max for field in self._fields if field.wire == self._decides.reason), None)
        reason = self.reason if cut is None else f"{self.reason}[:{cut}]"
        return [*self._common(self._decides.no), *zeros, f"{self.reason}={reason}"]

    @property
    def reason(self) -> str:
        """Return the argument of `refuse`."""
        return naming.variable(self._decides.reason)

    def _common(self, word: str) -> list[str]:
        echoed = [_python(field) for field in self._fields if field.wire in self._echoed]
        return [*(f"{name}=self.data.{name}" for name in echoed), f"{naming.variable(self._decides.member)}={word!a}"]


class ReceiverView:
    """Everything that a receiver handles."""

    def __init__(self, contract: Contract) -> None:
        inbound = [operation for operation in contract.operations.values() if operation.inbound]
        self.notifications = [NotificationView(contract, one) for one in inbound if one.asks.role == "notification"]
        self.questions = [QuestionView(contract, one) for one in inbound if one.decides is not None]

    def __bool__(self) -> bool:
        return bool(self.notifications or self.questions)


def _python(field: Field) -> str:
    return naming.variable(field.wire)


def _head(operation: Operation) -> list[str]:
    cited = f" [{', '.join(operation.sections)}]"
    lines = wrapped(operation.prose.summary.rstrip(".") + f"{cited}.", 8)
    return [*lines, "", *wrapped(" ".join(operation.prose.more), 8)] if operation.prose.more else lines
