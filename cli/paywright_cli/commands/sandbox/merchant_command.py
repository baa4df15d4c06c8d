"""`paywright sandbox merchants` and the option `--merchant`: add merchants without changing sandbox.toml."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final, NamedTuple

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from paywright_cli.commands.sandbox.control_command import Add, Verb, add_where, ask, refusable, say_answer
from paywright_cli.common.terminal import Usage
from paywright_runtime.signing.keys import load_public_key
from paywright_sandbox.engine.merchant import ADDRESSES, RegisteredMerchant, entry_faults, merchant_of, taken
from paywright_sandbox.engine.settings import SandboxSettings
from paywright_sandbox.engine.url_policy import NotAllowed, read_destination

FORM: Final = "APP_ID:MERCHANT_NO:PUBLIC_KEY_FILE"
_EXAMPLES: Final = """examples:
  paywright sandbox merchants add app_2:MN0000000000002:keys/second.pub
  paywright sandbox merchants add app_3:MN0000000000003:third.pub notifyUrl=http://127.0.0.1:9000/orders memberId=MB3
"""


class Option(NamedTuple):
    """A merchant of the command line."""

    app_id: str
    merchant_no: str
    key_file: Path


def option(text: str) -> Option:
    """Parse `FORM`. Raises `argparse.ArgumentTypeError`."""
    parts = text.split(":", 2)
    if len(parts) != 3 or not all(parts):
        raise argparse.ArgumentTypeError(f"a merchant is {FORM}, such as app_2:MN0000000000002:second.pub")
    return Option(parts[0], parts[1], Path(parts[2]))


def add_merchants(settings: SandboxSettings, options: list[Option]) -> None:
    """Add the merchants of the command line to those of sandbox.toml. Raises `Usage`."""
    settings.merchants = (
        *settings.merchants,
        *(_merchant(settings, given, options[:at]) for at, given in enumerate(options)),
    )


def notify_at(settings: SandboxSettings, url: str) -> None:
    """Set `url` for all notifications of all merchants that have no URL. Raises `Usage`."""
    try:
        read_destination(url, settings.deliver_to)
    except NotAllowed as refused:
        raise Usage(f"--notify: {refused}") from None
    for merchant in settings.merchants:
        for name in ADDRESSES:
            merchant.addresses.setdefault(name, url)


def _merchant(settings: SandboxSettings, given: Option, before: list[Option]) -> RegisteredMerchant:
    entry = {"app-id": given.app_id, "merchant-no": given.merchant_no}
    where = f"--merchant {given.app_id}"
    wrong = entry_faults(where, entry)
    if wrong:
        raise Usage("; ".join(wrong))
    merchant = merchant_of(entry, load_public_key(given.key_file), origin="--merchant")
    if settings.signer.key in merchant.verifier.keys:
        raise Usage(f"{where}: {given.key_file} is the gateway's own public key; give the merchant's")
    others = [known.numbers for known in settings.merchants]
    others += [{"app_id": other.app_id, "merchant_no": other.merchant_no} for other in before]
    if twice := taken(merchant.numbers, others):
        raise Usage(
            f"{where}: another merchant has the {twice} {entry[twice]} already, in sandbox.toml or by --merchant"
        )
    return merchant


def add_command(add: Add) -> None:
    """Add `add` to `paywright sandbox merchants`."""
    adding = add("add", "register a merchant", refusable(_add), epilog=_EXAMPLES)
    adding.description = (
        "Add a merchant, who may call at once. The file holds the merchant's public key: PEM, or the "
        "Base64 inside it on one line."
    )
    adding.takes(FORM, "such as app_2:MN0000000000002:second.pub", dest="merchant", type=option)
    adding.takes("NAME=VALUE", "further fields, such as notifyUrl=...", dest="given", nargs="*")
    add_where(adding)


def _add(args: argparse.Namespace) -> None:
    new: Option = args.merchant
    key = load_public_key(new.key_file)  # read here, so that a private key never leaves this process
    pem = key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    named = {"appId": new.app_id, "merchantNo": new.merchant_no, "publicKey": pem}
    say_answer(args, ask(args, "merchants add", Verb("register a merchant", "POST merchants"), args.given, named))
