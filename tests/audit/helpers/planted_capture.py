"""A capture of many sessions with faults planted in some, and what has to be found where. A function of its seed."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import IO, Final, NamedTuple

from tests.audit.helpers.planted_across import ACROSS, GOOD
from tests.audit.helpers.planted_signatures import SIGNATURES
from tests.audit.helpers.planted_story import FORMS, Draft, Planted, Story
from tests.audit.helpers.planted_values import BYTES, HEADERS, VALUES, plant_bytes, plant_header, plant_value
from tests.audit.helpers.planted_writing import pen
from tests.support.keys import key_pair

__all__ = ["FILES", "KINDS", "Capture", "Found", "Told", "make_capture", "make_stranger"]

FILES: Final = {"records": "calls.jsonl", "har": "page.har", "packed": "proxy.jsonl.gz"}
_PLACES: Final = {"records": ("line", 1), "har": ("entry", 0), "packed": ("line", 1)}
_SHARES: Final = {"records": 0.8, "har": 0.1, "packed": 0.1}
_STORIES: Final = 100  # of one block, whose exchanges stand among each other
_EVERY: Final = 4  # one story of so many has a fault


def _kinds() -> Iterator[tuple[str, Callable[[Story], object]]]:
    for value in VALUES:
        yield value.kind, lambda story, fault=value: plant_value(story, fault)  # type: ignore[misc]
    for changed in BYTES:
        yield changed.kind, lambda story, fault=changed: plant_bytes(story, fault)  # type: ignore[misc]
    for header in HEADERS:
        yield header.kind, lambda story, fault=header: plant_header(story, fault)  # type: ignore[misc]
    yield from SIGNATURES.items()
    yield from ACROSS.items()


KINDS: Final = dict(_kinds())


class Found(NamedTuple):
    """What has to be found, and where."""

    file: str
    place: str
    planted: Planted


class Told(NamedTuple):
    """What has to be said of a signature, and whose it is."""

    whose: str
    state: str
    why: str


class Block(NamedTuple):
    """A part of the capture: of each form the texts, and of each text what is planted in it and what its signatures are."""

    texts: dict[str, list[bytes]]
    planted: list[tuple[str, int, Planted]]
    verdicts: list[tuple[str, int, tuple[Told, ...]]]


class Capture(NamedTuple):
    """`verdicts` are by file and place those of an exchange's signatures in the order of judging."""

    files: list[Path]
    exchanges: int
    planted: list[Found]
    verdicts: dict[tuple[str, str], tuple[Told, ...]]


def make_stranger(keys: Path) -> None:
    """A key that nobody is told of."""
    (keys / "stranger.key").write_text(key_pair(2).private_pem)


def make_capture(
    keys: Path, folder: Path, exchanges: int, seed: int, processes: int, *, faults: bool = True
) -> Capture:
    """Writes the files of a capture of at least so many exchanges. `keys` holds the private keys of all three.

    Without `faults` it is the clean twin: nothing but good stories.
    """
    planted: list[Found] = []
    verdicts: dict[tuple[str, str], tuple[Told, ...]] = {}
    names = {form: str(folder / name) for form, name in FILES.items()}
    counts = dict.fromkeys(FORMS, 0)
    with (
        open(names["records"], "wb") as records,
        open(names["har"], "wb") as har,
        gzip.open(names["packed"], "wb", compresslevel=1) as packed,
    ):
        out: dict[str, IO[bytes]] = {"records": records, "har": har, "packed": packed}  # type: ignore[dict-item]
        har.write(b'{"log":{"version":"1.2","creator":{"name":"test","version":"1"},"pages":[],"entries":[')
        for block in _blocks(keys, seed, exchanges, processes, faults):
            for form, number, what in block.planted:
                planted.append(Found(names[form], _place(form, counts[form] + number), what))
            for form, number, states in block.verdicts:
                verdicts[names[form], _place(form, counts[form] + number)] = states
            for form, texts in block.texts.items():
                if form == "har":
                    har.write(b"," * bool(counts[form] and texts) + b",\n".join(texts))
                else:
                    out[form].writelines(texts)
                counts[form] += len(texts)
        har.write(b"]}}\n")
    return Capture([Path(name) for name in names.values()], sum(counts.values()), planted, verdicts)


def _place(form: str, number: int) -> str:
    unit, first = _PLACES[form]
    return f"{unit} {number + first}"


def _blocks(keys: Path, seed: int, exchanges: int, processes: int, faults: bool) -> Iterator[Block]:
    """Blocks until there are enough exchanges: the same ones however many processes make them."""
    made = 0
    if processes == 1:
        numbers = iter(range(10**9))
        while made < exchanges:
            block = make_block(keys, seed, next(numbers), faults)
            made += sum(map(len, block.texts.values()))
            yield block
        return
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        waiting = [pool.submit(make_block, keys, seed, number, faults) for number in range(2 * processes)]
        following = 2 * processes
        while made < exchanges:
            block = waiting.pop(0).result()
            made += sum(map(len, block.texts.values()))
            waiting.append(pool.submit(make_block, keys, seed, following, faults))
            following += 1
            yield block
        for future in waiting:
            future.cancel()


def make_block(keys: Path, seed: int, number: int, faults: bool = True) -> Block:
    """One block. Exchanges stand about in the order of their times, those of many stories among each other."""
    random = Random(f"{seed} {number}")
    drafts = [draft for story in _stories(random, number, faults) for draft in story.drafts]
    jitter = {id(draft): draft.at + random.random() * 60 for draft in drafts}
    drafts.sort(key=lambda draft: jitter[id(draft)])
    writer = pen(keys)
    block = Block({form: [] for form in FORMS}, [], [])
    for draft in drafts:
        texts = block.texts[draft.form]
        block.planted.extend((draft.form, len(texts), planted) for planted in draft.expected)
        block.verdicts.append((draft.form, len(texts), tuple(_verdicts(draft))))
        texts.append(writer.write(draft))
    return block


def _verdicts(draft: Draft) -> Iterator[Told]:
    asker, teller = ("merchant", "gateway") if draft.kind == "call" else ("gateway", "merchant")
    for side, whose in ((draft.asked, asker), (draft.told, teller)):
        for verdict in (side.verdict, side.snap_verdict) if side is not None else ():
            if verdict is not None:
                yield Told(whose, *verdict)


def _stories(random: Random, block: int, planted: bool) -> Iterator[Story]:
    kinds = list(KINDS.items())
    good, weights = zip(*GOOD, strict=True)
    faults = _STORIES // _EVERY
    chosen = [kinds[(block * faults + step) % len(kinds)] for step in range(faults)]
    for place in range(_STORIES):
        story = Story(block * _STORIES + place, random)
        if planted and place % _EVERY == 0:
            story.kind, plant = chosen[place // _EVERY]
        else:
            (plant,) = random.choices(good, weights)
        plant(story)
        (form,) = random.choices(story.forms, [_SHARES[form] for form in story.forms])
        for draft in story.drafts:
            draft.form = form
        yield story
