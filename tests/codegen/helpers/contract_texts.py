"""A small contract that lints clean, and what tests do with such texts."""

from __future__ import annotations

from pathlib import Path

from paywright_codegen.model.contract import Contract
from paywright_codegen.reader.loader import load

SHOP = """\
formats:

  code [1]:                                  # Letters and digits.
    pattern: "[A-Z0-9]+"
    shown: letters and digits

merchant:
  app_id!: id                                # The shop.
  merchant_no: id                            # A branch of the shop.

signatures:

  body [1]:                                  # Of the exact bytes of the body.
    covers: "{body}"
    written: "{base64 of RSA-SHA256}"

envelopes:

  sealed [1]:                                # A body that wraps `data`.
    headers:
      sign!: string secret from signature.body
    request:
      version!: string from operation.version
      data!: object
    response headers:
      sign!: string secret from signature.body
    response:
      code!: string max 8 eg OK
      data: object
    response rules:
      success-has-data [1]: when code is OK, need data
    payload: data
    succeeds: code is OK
    refuses: BAD

  bare [1]:                                  # Headers alone.
    headers:
      sign!: string secret from signature.body

limits:
  again [2]: 300 s

operations:

  # Buy goods.
  goods.buy [1.1]:
    post: /buy
    version: 1.0
    envelope: sealed
    key: key ignoring case
    resolved by:
      query: goods.query by key
      placed again after: again
      else: queried again
    echoes: key
    refuses: POOR
    repeats: AGAIN ?repeats
    request:
      key!: code max 8 eg K1                 # unique
      amount!: number eg 10.50
      note: string max 20
      kind: string in NEW OLD
      buyer: Person
      tags: string[] max 3
      people: Person[]
    rules:
      note-of-old [1.1]: when kind is OLD, need note
    response: Item

  # Ask what became of goods.
  goods.query [1.2]:
    post: /query
    version: 1.0
    envelope: sealed
    echoes: key
    absent: NONE
    request:
      key!: code max 8
    response: Item

notifications:

  # Goods were sent.
  goods.sent [3]:
    post: /sent
    envelope: bare
    when: kind is SENT
    once per: number
    notification: Parcel
    answer: Received

types:

  Item [2]:                                 # What was bought.
    key!: code max 8
    status!: ItemStatus max 8
    colour: Colour

  Person [2]:                                # Somebody.
    name!: string max 64 pii

  Parcel [3]:                                # A parcel.
    kind!: string is SENT
    toldAt!: string from clock
    number!: string

  Received [3]:                              # The merchant's answer.
    code!: string sends OK

rules:

  Item:
    colour-of-sent [2]: when status is SENT, need colour

enums:

  Colour [2]:                                # A colour.
    R RED: red
    B BLUE: blue
    ...: ?colours

states:

  ItemStatus [2]:                           # State of goods.
    OPEN: not finished yet
    SENT final paid: sent

moves:

  ItemStatus [2]:
    none -> OPEN: goods.buy answered OK

questions:

  colours [2]:
    says: which colours there are is not shown
    does: open list

  repeats [1.1]:
    says: what answers a repeated key is not shown
    does: AGAIN is read so
    seen: AGAIN
"""

RESOLVED = """\
    resolved by:
      query: goods.query by key
      placed again after: again
      else: queried again
"""
assert RESOLVED in SHOP

SPEC = Path(__file__).parents[3] / "spec"


def decides(yes: str, *more: str) -> str:
    """How the answer to a question decides by `code`, as a part of an operation."""
    lines = ("answer: code", f"yes: {yes}", "no: NO", "why not: why", *more)
    return "".join(("    decides:\n", *(f"      {line}\n" for line in lines)))


def folder_of(tmp_path: Path, *texts: str, **named: str) -> Path:
    """A folder `spec` with the texts as shop.yaml, shop2.yaml, ... and others by name."""
    folder = tmp_path / "spec"
    folder.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(texts):
        (folder / f"shop{number + 1 if number else ''}.yaml").write_text(text, encoding="utf-8", newline="")
    for name, text in named.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8", newline="")
    return folder


def contract_of(tmp_path: Path, *texts: str) -> Contract:
    return load(folder_of(tmp_path, *texts))


def changed(*edits: tuple[str, str], text: str = SHOP) -> str:
    """The text with each `old` replaced, which must stand there once."""
    for old, new in edits:
        assert text.count(old) == 1, f"{old!r} stands there {text.count(old)} times"
        text = text.replace(old, new)
    return text


def problem_line(before: str, after: str, at: str = "") -> int:
    """The number of the line that begins with `at`, which stands there once; without it, of the first that differs."""
    if at:
        assert after.count(at) == 1, f"{at!r} stands there {after.count(at)} times"
        return after[: after.index(at)].count("\n") + 1
    lines = zip(before.split("\n"), after.split("\n"), strict=False)
    return next(number for number, (old, new) in enumerate(lines, 1) if old != new)


def line_of(text: str, part: str) -> int:
    """The number of the one line that has a part."""
    lines = [number for number, line in enumerate(text.split("\n"), 1) if part in line]
    assert len(lines) == 1, f"{part!r} stands in lines {lines}"
    return lines[0]
