"""Text of others made fit to show."""

import pytest

from paywright_runtime.redaction import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, 普通 and zurück", "plain, 普通 and zurück"),
        ("\x1b[31mred\x9b", "\\u{1b}[31mred\\u{9b}"),
        ("\u202egnp.exe\u2066\u200b", "\\u{202e}gnp.exe\\u{2066}\\u{200b}"),
        ("one\ntwo\r", "one\\u{a}two\\u{d}"),
        ("half a pair \udcff", "half a pair \\u{dcff}"),
    ],
)
def test_what_does_not_show_itself_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_characters_that_are_to_stay_do() -> None:
    assert visible("one\ntwo\tthree", keep="\n") == "one\ntwo\\u{9}three"
