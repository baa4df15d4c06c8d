"""Find out whether a statement would begin or end a transaction, by PostgreSQL's lexical rules."""

from __future__ import annotations

from re import ASCII, DOTALL, IGNORECASE, VERBOSE
from re import compile as pattern
from typing import Final

__all__ = ["controls_transaction", "suspect"]

# Most statements contain none of these words, and are not parsed.
_SUSPECT: Final = pattern(r"\b(?:commit|end|abort|rollback|begin|start|prepare)\b", ASCII | IGNORECASE).search
_FORM: Final = r"""
    (?P<space> \s+ | --[^\r\n]* )
  | (?P<comment> /\* )
  | (?P<text> [eE]' (?: [^'\\] | \\. | '' )* (?: ' (?: \s*[\r\n]\s*' (?: [^'\\] | \\. | '' )* ' )* | \Z )
            | PLAIN
            | " (?: [^"] | "" )* (?: " | \Z )
            | \$ (?P<tag> (?: [A-Za-z_\x80-\U0010ffff] [A-Za-z0-9_\x80-\U0010ffff]* )? ) \$ .*? (?: \$ (?P=tag) \$ | \Z ) )
  | (?P<word> [A-Za-z_\x80-\U0010ffff] [A-Za-z0-9_$\x80-\U0010ffff]* )
  | (?P<other> . )
"""
_STANDARD: Final = pattern(_FORM.replace("PLAIN", r"' (?: [^'] | '' )* (?: ' | \Z )"), ASCII | DOTALL | VERBOSE)
_BACKSLASHES: Final = pattern(
    _FORM.replace("PLAIN", r"' (?: [^'\\] | \\. | '' )* (?: ' | \Z )"), ASCII | DOTALL | VERBOSE
)
_COMMENT: Final = pattern(r"/\*|\*/").finditer
_ENDS: Final = frozenset({"COMMIT", "END", "ABORT", "BEGIN", "START"})


def suspect(text: str) -> bool:
    """Return quickly whether `controls_transaction` may be true of the text. Errs towards True."""
    return _SUSPECT(text) is not None


def controls_transaction(text: str, *, backslashes: bool = False) -> bool:
    """Return whether a statement in `text` is BEGIN, START, COMMIT, END, ABORT, ROLLBACK or PREPARE TRANSACTION.

    SAVEPOINT, RELEASE and ROLLBACK TO are not. `backslashes` says whether they escape in plain strings, which they do
    if `standard_conforming_strings` is off.
    """
    if not suspect(text):
        return False
    match = (_BACKSLASHES if backslashes else _STANDARD).match
    words: list[str] = []  # the statement's first words, enough to classify it
    at = parentheses = bodies = 0
    while at < len(text):
        found = match(text, at)
        assert found is not None  # `other` matches anything
        at = found.end()
        if found["comment"]:
            at = _after_comment(text, at)
        elif found["word"]:
            word = found["word"].upper()
            # The body of a function that is written in SQL has semicolons of its own: CREATE ... BEGIN ATOMIC ...; END
            if words[:1] == ["CREATE"] and (bodies or word == "BEGIN"):
                bodies += (word in ("BEGIN", "CASE")) - (word == "END")
            elif len(words) < 3:
                words.append(word)
        elif found["other"] == ";" and parentheses <= 0 and bodies <= 0:
            if _controls(words):
                return True
            words, parentheses, bodies = [], 0, 0
        elif found["other"]:
            parentheses += (found["other"] == "(") - (found["other"] == ")")
            words = words or [found["other"]]  # a statement that begins with no word does not control transactions
    return _controls(words)


def _controls(words: list[str]) -> bool:
    first, rest = words[:1], words[1:]
    if first == ["ROLLBACK"]:
        return (rest[1:] if rest[:1] in (["WORK"], ["TRANSACTION"]) else rest)[:1] != ["TO"]
    return bool(first) and (first[0] in _ENDS or words[:2] == ["PREPARE", "TRANSACTION"])


def _after_comment(text: str, at: int) -> int:
    """Return where the comment ends that begins before `at`. Comments nest."""
    depth = 1
    for found in _COMMENT(text, at):
        depth += 1 if found[0] == "/*" else -1
        if not depth:
            return found.end()
    return len(text)
