"""One process reads and cuts, others parse: what comes out is what one process reads alone."""

from __future__ import annotations

import gzip
import json
import pickle
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from paywright_audit.input.captures import capture_reader, chunks
from paywright_audit.input.captures.chunks import Chunk
from paywright_audit.input.captures.reading import read_chunk, read_chunks, read_input
from paywright_audit.input.records import REST, Body, Exchange, Unreadable
from tests.audit.helpers.planted_capture import make_capture, make_stranger


def content(body: Body) -> object:
    return type(body), getattr(body, "raw", None), getattr(body, "why", None), repr(getattr(body, "value", None))


def shown(one: Exchange | Unreadable) -> object:
    if isinstance(one, Unreadable):
        return one.place, one.why, one.number
    sides = [
        (tuple(map(tuple, side.headers)), side.status, content(side.body))
        for side in (one.request, one.response)
        if side
    ]
    return one.place, one.number, one.url, one.kind, one.at, one.until, one.method, one.sent, sides


def unfolded(file: Path, size: int) -> Iterator[Exchange | Unreadable]:
    for found in read_chunks(str(file), size):
        if isinstance(found, Chunk):
            yield from pickle.loads(pickle.dumps(found)).exchanges()
        else:
            yield found


def test_a_file_that_is_replaced_while_it_is_read_is_unreadable(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_bytes(b"{}\n" * 9)
    (chunk,) = read_chunks(str(file), 1 << 20)
    assert isinstance(chunk, Chunk)
    file.rename(tmp_path / "log.1")
    for why in ("No such file or directory", "it was replaced while it was read"):
        assert [shown(one) for one in read_chunk(chunk)] == [("", why, REST)]
        file.write_bytes(b"{}\n" * 9)


def same(file: Path, *sizes: int) -> None:
    due = sorted(repr(shown(one)) for one in read_input(str(file)))
    assert due
    for size in sizes:
        assert sorted(repr(shown(one)) for one in unfolded(file, size)) == due


@pytest.fixture(scope="module")
def files(keys: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("chunks")
    secrets = folder / "keys"
    secrets.mkdir()
    for name in (keys / "keys").iterdir():
        (secrets / name.name).write_bytes(name.read_bytes())
    make_stranger(secrets)
    made = make_capture(secrets, folder, 300, 8, 1).files
    packed = folder / "calls.jsonl.gz"
    packed.write_bytes(gzip.compress(made[0].read_bytes()))
    return [*made, packed]


def test_every_form_is_cut_and_parsed_as_it_is_read_whole(files: list[Path]) -> None:
    assert {file.suffix for file in files} == {".jsonl", ".har", ".gz"}
    for file in files:
        same(file, 1, 5_000, 100_000, 1 << 30)


def test_what_is_before_a_cut_or_a_damage_is_read(files: list[Path], tmp_path: Path) -> None:
    spoilt = tmp_path / "spoilt"
    for file in files:
        whole = file.read_bytes()
        for raw in (
            whole[: len(whole) // 2],
            whole[:-1],
            whole[:-9] + b"\0" * 9,
            b"",
            whole + b"x",
            b"\xef\xbb\xbf" + whole,
        ):
            spoilt.write_bytes(raw)
            same(spoilt, 700, 1 << 20)


def test_gzip_that_breaks_within_a_line_gives_the_lines_before(tmp_path: Path) -> None:
    packer = zlib.compressobj(0, zlib.DEFLATED, 31)
    lines = b"".join(json.dumps({"v": 1, "n": n}).encode() + b"\n" for n in range(2_000))
    file = tmp_path / "log.gz"
    file.write_bytes((packer.compress(lines) + packer.flush())[:-5_000])
    same(file, 100, 10_000, 1 << 20)


@pytest.mark.parametrize("size", [10, 50, 90, 1_000])
def test_lines_that_are_too_long_are_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    for module in (capture_reader, chunks):
        monkeypatch.setattr(module, "MAX_LINE", 60)
    file = tmp_path / "log.jsonl"
    for long in (59, 60, 61, 62, 130, 400):
        for end in (b"", b"\n", b"\n\n{}\n{}"):
            file.write_bytes(b'{"v":1}\n\n{"v":2}\n' + b"x" * long + end)
            same(file, size)
