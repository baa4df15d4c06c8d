"""Tables of captured traffic: the same exchanges as from the capture, whoever wrote the table; and no table makes it raise."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from paywright_audit.input.captures.reading import read_input
from paywright_audit.input.records import Decoded, Exact, Exchange, Lost, Message, Parsed, Unreadable
from paywright_audit.input.tables.table_schema import BODY, COLUMNS, FLAG, HEADERS, STATUS, TIME, NoTable, needed
from paywright_audit.input.tables.table_schema import TEXT as TEXTS
from tests.audit.helpers.records import Scribe
from tests.support.packages import PACKAGES

pa = pytest.importorskip("pyarrow", reason="tables need the extra `parquet`")
pq = pytest.importorskip("pyarrow.parquet")

from paywright_audit.input.tables.parquet_files import expanded, read_table  # noqa: E402
from paywright_audit.input.tables.table_reader import LARGEST, chosen, exchanges  # noqa: E402
from tests.audit.helpers.tables import SCHEMA, write_table  # noqa: E402


def parts(message: Message | None) -> object:
    if message is None:
        return None
    body = message.body
    return [list(map(tuple, message.headers)), type(body), *(getattr(body, name) for name in body.__slots__), message.status]  # fmt: skip


def content(one: Exchange | Unreadable) -> object:
    assert isinstance(one, Exchange), one.why
    what = (one.place, one.number, one.url, one.kind, one.at, one.until, one.method, one.sent)
    return *what, parts(one.request), parts(one.response)


@pytest.fixture
def records(keys: Path) -> list[dict[str, Any]]:
    """Every form that a record can have."""
    scribe = Scribe(keys)
    scribe.call("orders.checkout", {"outTradeNo": "O1"}, {"outTradeNo": "O1"})
    scribe.call("orders.query", {"outTradeNo": "O1"}, answered=False, at=1.000001)
    text = scribe.call("orders.query", {"outTradeNo": "O2"}, at=2)
    text["request"]["body"] = {"text": '{"é": "\U0001f600"}'}
    parsed = scribe.call("orders.query", {"outTradeNo": "O3"}, at=3)
    parsed["request"]["body"] = {"parsed": {"amount": 12345678901234567890, "none": None, "list": [True, 1.5]}}
    parsed["response"]["body"] = None
    unsent = scribe.call("orders.query", {"outTradeNo": "O4"}, answered=False, at=4) | {"sent": False}
    unsent["request"]["method"] = "post"
    return [*scribe.records[:4], unsent, scribe.records[0] | {"until": "2025-06-01T12:00:03Z", "kind": "notify"}]


@pytest.fixture
def capture(records: list[dict[str, Any]], tmp_path: Path) -> Path:
    file = tmp_path / "capture.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return file


def test_a_table_equals_its_capture(capture: Path, records: list[dict[str, Any]], tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps(records[0]))
    table = tmp_path / "all.parquet"
    write_table(table, [str(capture), str(other)])
    found = list(read_table(str(table), {}))
    assert list(map(content, found)) == [content(one) for file in (capture, other) for one in read_input(str(file))]
    assert [one.file for one in found] == [str(capture)] * len(records) + [str(other)]
    assert {type(one.request.body) for one in found if isinstance(one, Exchange)} == {Exact, Decoded, Parsed}


def test_the_table_has_the_columns_that_are_printed() -> None:
    assert [(column.name, column.kind.written) for column in COLUMNS] == [
        (
            field.name,
            str(field.type).replace("list<item:", "list<").replace("list<element:", "list<").replace("list< ", "list<"),
        )
        for field in SCHEMA
    ]


@pytest.fixture
def table(capture: Path, tmp_path: Path) -> Any:
    write_table(tmp_path / "t.parquet", [str(capture)])
    return pq.read_table(tmp_path / "t.parquet")


def read(table: Any, columns: dict[str, str | None] | None = None) -> list[Exchange | Unreadable]:
    return list(exchanges(chosen(table, columns or {}), None))


def refused(table: Any) -> str:
    with pytest.raises(NoTable) as why:
        chosen(table.select(needed(table.schema.names, {})), {})
    return str(why.value)


def changed(table: Any, name: str, kind: Any, values: Callable[[Any], Any] = lambda value: value) -> Any:
    """The table with the values of a column changed, in another type."""
    place = table.schema.get_field_index(name)
    made = pa.array([None if value is None else values(value) for value in table.column(name).to_pylist()], kind)
    return table.set_column(place, pa.field(name, made.type), made)


JSON_TEXT = getattr(pa, "json_", pa.string)()  # as DuckDB marks its texts; pyarrow 18 has no such type
TEXT, PAIR = pa.string(), pa.struct([("name", pa.large_string()), ("value", pa.string())])
pairs = lambda value: [(one["name"], one["value"]) for one in value]  # noqa: E731
SAME = [
    ("at", pa.timestamp("ns", tz="Europe/Berlin"), lambda value: value),
    ("at", pa.timestamp("us"), lambda value: value.replace(tzinfo=None)),
    ("at", pa.string(), lambda value: value.isoformat()),
    ("url", pa.large_string(), lambda value: value),
    ("url", pa.string_view(), lambda value: value),
    ("url", pa.dictionary(pa.int8(), TEXT), lambda value: value),
    ("url", pa.binary(), str.encode),
    ("kind", pa.dictionary(pa.int32(), TEXT), lambda value: value),
    ("until", pa.binary(), lambda value: value.isoformat().encode()),
    ("response_status", pa.int64(), lambda value: value),
    ("response_status", pa.uint16(), lambda value: value),
    ("request_headers", pa.list_(PAIR), lambda value: value),
    ("request_headers", pa.large_list(pa.list_(TEXT)), pairs),
    ("request_headers", pa.map_(TEXT, TEXT), pairs),
    ("request_headers", pa.large_string(), lambda value: json.dumps(pairs(value))),
    ("request_headers", JSON_TEXT, lambda value: json.dumps(dict(pairs(value)))),
    ("request_headers", pa.list_(pa.struct([("value", TEXT), ("name", TEXT)])), lambda value: value),
    ("response_headers", pa.binary(), lambda value: json.dumps([{"value": one["value"], "name": one["name"]} for one in value]).encode()),
    ("request_body", pa.large_binary(), lambda value: value),
    ("request_body", pa.binary_view(), lambda value: value),
]  # fmt: skip


@pytest.mark.parametrize(("name", "kind", "values"), SAME, ids=[f"{name} {kind}" for name, kind, _ in SAME])
def test_every_accepted_type_is_read_as_the_same(table: Any, name: str, kind: Any, values: Any) -> None:
    assert list(map(content, read(changed(table, name, kind, values)))) == list(map(content, read(table)))


def test_bodies_as_text_are_text_and_headers_as_maps_are_read(table: Any) -> None:
    for kind in (JSON_TEXT, TEXT):  # DuckDB's JSON is the first
        bodies = changed(table.slice(0, 1), "request_body", kind, bytes.decode)
        (one,) = read(bodies)
        assert isinstance(one, Exchange)
        assert isinstance(one.request.body, Decoded)
    (said,) = read(changed(bodies, "request_form", TEXT).set_column(8, "request_form", pa.array(["exact"])))
    assert isinstance(said, Exchange)
    assert isinstance(said.request.body, Exact)


def test_columns_are_found_under_other_names_and_inside_structs(table: Any) -> None:
    one = table.select(["request_headers", "request_body"]).to_struct_array().combine_chunks()
    other = (
        table.drop_columns(["request_headers", "request_body"]).append_column("req.in", one).append_column("req", one)
    )
    other = other.rename_columns(["when" if name == "at" else name for name in other.column_names])
    columns = {"at": "when", "request_headers": "req.request_headers", "request_body": "req.request_body"}
    assert list(map(content, read(other, columns))) == list(map(content, read(table)))


def test_columns_in_capitals_are_found_as_snowflake_writes_them(table: Any, tmp_path: Path) -> None:
    pq.write_table(table.rename_columns([name.upper() for name in table.schema.names]), tmp_path / "capitals.parquet")
    assert [*map(content, read_table(str(tmp_path / "capitals.parquet"), {}))] == [*map(content, read(table))]


def test_a_column_that_a_table_has_not_is_not_looked_for(table: Any) -> None:
    found = read(table, {"response_body": None, "at": None})
    assert {type(one.response.body) for one in found if isinstance(one, Exchange) and one.response} == {Lost}
    assert {one.at for one in found if isinstance(one, Exchange)} == {None}


_OTHER = {
    TIME: pa.bool_(), TEXTS: pa.bool_(), FLAG: pa.string(), STATUS: pa.bool_(),
    HEADERS: pa.list_(pa.dictionary(pa.int8(), TEXT)), BODY: pa.list_(pa.uint8()),
}  # fmt: skip


@pytest.mark.parametrize("column", COLUMNS, ids=[column.name for column in COLUMNS])
def test_a_column_of_another_type_is_named_with_what_it_may_be(table: Any, column: Any) -> None:
    headers_read_as_one_value = [pa.struct([("Host", TEXT)])] if column.required else []
    for other in (_OTHER[column.kind], *headers_read_as_one_value):
        why = refused(changed(table, column.name, other, lambda value: None))
        assert why.startswith(f"its column {column.name} is ")
        assert why.endswith(f"; it must be {column.kind.accepted}")


def test_a_table_says_what_was_sent_where_and_answered() -> None:
    assert [column.name for column in COLUMNS if column.required] == [
        "at", "url", "request_headers", "request_body", "response_status", "response_headers", "response_body",
    ]  # fmt: skip


@pytest.mark.parametrize("column", COLUMNS, ids=[column.name for column in COLUMNS])
def test_only_columns_that_are_required_may_not_be_missing(table: Any, column: Any) -> None:
    without = table.drop_columns([column.name])
    if not column.required:
        assert len(read(without)) == table.num_rows
        return
    start = f"it has no column {column.name}: give its name there with --column {column.name}=NAME"
    assert refused(without).startswith(start)


def test_all_columns_that_are_missing_are_named_at_once(table: Any) -> None:
    start = "it has no column at, request_headers, response_status, response_headers, response_body: give its name"
    assert refused(table.select(["url", "request_body"])).startswith(start)


@pytest.mark.parametrize("column", COLUMNS, ids=[column.name for column in COLUMNS])
def test_a_column_without_a_value_is_read_row_by_row(table: Any, column: Any) -> None:
    for kind in (SCHEMA.field(column.name).type, pa.null()):
        found = read(changed(table, column.name, kind, lambda value: None))
        assert len(found) == table.num_rows
        wrong = {one.why for one in found if isinstance(one, Unreadable)}
        assert wrong == ({"it has no url"} if column.name == "url" else set())


def not_utf8(values: list[bytes]) -> Any:
    """An array of texts, as a hostile file may hold them."""
    return pa.array(values, pa.binary()).view(pa.string())


def headers(rows: list[list[tuple[bytes, bytes]]]) -> Any:
    flat = [pair for row in rows for pair in row]
    inside = pa.StructArray.from_arrays(
        [not_utf8([name for name, _ in flat]), not_utf8([value for _, value in flat])], ["name", "value"]
    )
    offsets = [sum(map(len, rows[:place])) for place in range(len(rows) + 1)]
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), inside)


ROWS: list[tuple[str, Callable[[int], Any], str]] = [
    ("kind", lambda n: pa.array(["CALL"] + ["call"] * (n - 1)), "its kind is neither call nor notify"),
    ("url", lambda n: not_utf8([b"\xff"] + [b"/x"] * (n - 1)), "its url is not UTF-8"),
    ("file", lambda n: not_utf8([b"\xff"] + [b"/x"] * (n - 1)), "its file is not UTF-8"),
    ("request_body", lambda n: not_utf8([b"\xff"] + [b"{}"] * (n - 1)), "its request_body is not UTF-8"),
    ("request_headers", lambda n: headers([[(b"a", b"\xff")]] + [[(b"b", b"c"), (b"d", b"e")]] * (n - 1)), "its request_headers is not UTF-8"),
    ("request_form", lambda n: pa.array(["raw"] + [None] * (n - 1)), "the form of the body of its request is not one of exact, text"),
    ("request_form", lambda n: pa.array(["parsed"] + [None] * (n - 1)).cast(TEXT), ""),
    ("request_body", lambda n: pa.array([b"x" * (LARGEST + 1)] + [b"{}"] * (n - 1)), "it has more than 32 MB"),
    ("request_headers", lambda n: pa.array([[("a", "x" * (LARGEST + 1))]] + [[("b", "c")]] * (n - 1), pa.list_(PAIR)), "it has more than 32 MB"),
    ("at", lambda n: pa.array([2**62] + [0] * (n - 1), pa.timestamp("us")), ""),
]  # fmt: skip


@pytest.mark.parametrize(("name", "values", "why"), ROWS, ids=[f"{name} {why}" for name, _, why in ROWS])
def test_a_row_that_is_no_exchange_is_reported(table: Any, name: str, values: Any, why: str) -> None:
    hostile = table.set_column(table.schema.get_field_index(name), name, values(table.num_rows))
    first, *rest = read(hostile)
    assert len(rest) == table.num_rows - 1
    assert not why or (isinstance(first, Unreadable) and why in first.why)
    assert [one.why for one in rest if isinstance(one, Unreadable) and "parsed" not in one.why] == []


@pytest.mark.parametrize(
    ("bad", "good"),
    [
        (pa.array([[("a", None)]], pa.list_(PAIR)), pa.array([[("b", "c")]], pa.list_(PAIR))),
        (pa.array([[None]], pa.list_(PAIR)), pa.array([[("b", "c")]], pa.list_(PAIR))),
        (pa.array([[["a"]]]), pa.array([[["b", "c"]]])),
        (pa.array(['{"sign": 5.5}']), pa.array(['{"b": ["c"]}'])),
        (pa.array(["sign: abc"]), pa.array(['[["b", "c"]]'])),
        (pa.array(['[["a", "b", "c"]]']), pa.array(['{"b": "c"}'])),
        (pa.array(['{"Sign": null, "b": "c"}']), pa.array(['{"a": null, "b": "c"}'])),  # of a struct in DuckDB
    ],
)
def test_headers_that_are_no_pairs_of_texts_were_not_recorded(table: Any, bad: Any, good: Any) -> None:
    made = pa.concat_arrays([bad, *[good] * (table.num_rows - 1)])
    place = table.schema.get_field_index("request_headers")
    first, *rest = read(table.set_column(place, "request_headers", made))
    assert isinstance(first, Exchange)
    assert (list(first.request.headers), list(first.odd)) == ([], ["headers"])
    assert {tuple(map(tuple, one.request.headers)) for one in rest if isinstance(one, Exchange)} == {(("b", "c"),)}


def test_a_body_that_is_said_to_be_parsed_and_is_not_is_reported(table: Any) -> None:
    bodies = table.set_column(7, "request_body", pa.array([b'{"a": 1, "a": 2}'] * table.num_rows))
    forms = bodies.set_column(8, "request_form", pa.array(["parsed"] * table.num_rows))
    assert {one.why for one in read(forms) if isinstance(one, Unreadable)} == {
        "the parsed body of its request is not strict JSON: an object has the same key twice"
    }


def test_several_columns_of_one_name_are_refused(table: Any) -> None:
    assert refused(table.append_column("url", table.column("url"))) == "it has several columns of the same name"


def test_a_slice_of_a_table_is_read_as_its_rows(table: Any) -> None:
    assert list(map(content, read(table.slice(2, 3)))) == list(map(content, read(table)))[2:5]


def why_of(name: str | Path) -> Iterator[str]:
    for one in read_table(str(name), {}):
        assert isinstance(one, Unreadable)
        yield one.why


FILES: list[tuple[str, Callable[[bytes], bytes], str]] = [
    ("no Parquet", lambda raw: b"{}\n" * 10, "it is not a Parquet file, or damaged"),
    ("empty", lambda raw: b"", "it is not a Parquet file, or damaged"),
    ("the first bytes alone", lambda raw: raw[:4], "it is not a Parquet file, or damaged"),
    ("cut off", lambda raw: raw[: len(raw) // 2], "it is not a Parquet file, or damaged"),
    ("an index of nonsense", lambda raw: raw[:-200] + b"\xff" * 192 + raw[-8:], "it is not a Parquet file, or damaged"),
    ("zeros for data", lambda raw: raw[:4] + b"\0" * 2000 + raw[2004:], "it is not a Parquet file, or damaged"),
]  # fmt: skip


@pytest.mark.parametrize(("form", "spoil", "why"), FILES, ids=[form for form, _, _ in FILES])
def test_a_file_that_is_no_table_is_reported_as_a_whole(
    capture: Path, tmp_path: Path, form: str, spoil: Callable[[bytes], bytes], why: str
) -> None:
    file = tmp_path / "t.parquet"
    write_table(file, [str(capture)])
    file.write_bytes(spoil(file.read_bytes()))
    (said,) = why_of(file)
    assert said.startswith(why)


def test_a_table_of_something_else_says_so(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [1], "name": ["x"]}), tmp_path / "t.parquet")
    (said,) = why_of(tmp_path / "t.parquet")
    assert said.startswith("it has no column at, url, request_headers, request_body, response_status, ")
    assert said.endswith("; `paywright audit --schema` prints all")


def test_a_directory_is_its_files_in_order_without_those_that_are_no_data(table: Any, tmp_path: Path) -> None:
    folder = tmp_path / "traffic"
    for name in ("day=2/b.parquet", "day=1/a.parquet", "metadata/c.parquet", "_SUCCESS", ".a.crc", "_spark/x.parquet"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, folder / name)
    (folder / "notes.txt").write_text("not a table")
    found = expanded([str(folder), "other.jsonl"])
    names = ("day=1/a.parquet", "day=2/b.parquet", "metadata/c.parquet", "notes.txt")
    assert found == (*(f"{folder}/{name}" for name in names), "other.jsonl")
    assert len(list(read_table(found[0], {}))) == table.num_rows
    assert list(why_of(found[3])) == ["it is not a Parquet file, or damaged"]


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ((), "there is no file in it"),
        (("_delta_log/0.json", "a.parquet"), "it is a Delta or Iceberg table, whose folder also has"),
        (("metadata/v1.metadata.json", "data/a.parquet"), "it is a Delta or Iceberg table, whose folder also has"),
    ],
    ids=["empty", "Delta", "Iceberg"],
)
def test_a_directory_that_cannot_be_listed_is_refused(tmp_path: Path, files: tuple[str, ...], why: str) -> None:
    folder = tmp_path / "traffic"
    folder.mkdir()
    for name in files:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(b"x")
    assert expanded([str(folder)]) == (str(folder),)
    (said,) = why_of(folder)
    assert said.startswith(why)


_PEAK = """\
import sys
import pyarrow as pa
from paywright_audit.input.tables.parquet_files import read_table
count = sum(1 for _ in read_table(sys.argv[1], {}))
print(count, pa.default_memory_pool().max_memory())
"""


@pytest.mark.slow
def test_a_row_group_of_any_size_is_read_in_the_memory_of_its_batches(table: Any, tmp_path: Path) -> None:
    small, big = (peak_over(table, tmp_path, rows, 4096) for rows in (4_000, 16_000))
    assert big < 16_000 * 4096 / 2, "the whole row group was held"
    assert big < small * 1.5


@pytest.mark.slow
def test_rows_of_any_size_are_read_a_few_at_a_time(table: Any, tmp_path: Path) -> None:
    assert peak_over(table, tmp_path, 50, 4_000_000) < 100_000_000, "all 50 rows were held"


def peak_over(table: Any, folder: Path, rows: int, size: int) -> int:
    """The most bytes that pyarrow held while a file of one row group was read, whose bodies have a size."""
    file = folder / f"{rows}.parquet"
    bodies = pa.array([os.urandom(size) for _ in range(rows)])
    large = pa.concat_tables([table.slice(0, 1)] * rows).combine_chunks().set_column(11, "response_body", bodies)
    pq.write_table(large, file, row_group_size=rows, use_dictionary=False, write_batch_size=1)
    done = subprocess.run(
        [sys.executable, "-c", _PEAK, str(file)], env={**os.environ, "PYTHONPATH": PACKAGES}, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    count, peak = map(int, done.stdout.split())
    assert count == rows
    return peak
