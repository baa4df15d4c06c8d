#!/usr/bin/env bash
# JSONStream 1.3.5 of npm, seen on 2026-12-01.
# One would guess: each number is a number, as JSON.parse reads it.
# What happens: a whole number beyond 53 bits is a text with all its digits, and the same number with a minus is a rounded number; so is
# one with decimals. A column of ids is of two types, by the length of each.
# Why it matters: the id of an order is exact, the reversal that names it with a minus is not, and `===` of two reads is false.
# Known to: no page of ours.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save JSONStream@1.3.5 || exit 2
cat >run.cjs <<'JS'
const assert = require("node:assert");
const { Readable } = require("node:stream");
const JSONStream = require("JSONStream");

const body = '{"ids":[9007199254740993,-9007199254740993,12345678901234567890,-12345678901234567890,12345678901234567.89,900719925474099]}';
const seen = [];
Readable.from([body])
  .pipe(JSONStream.parse("ids.*"))
  .on("data", (id) => seen.push(id))
  .on("end", () => {
    console.log(seen);
    assert.deepStrictEqual(
      seen,
      ["9007199254740993", -9007199254740992, "12345678901234567890", -12345678901234567000, 12345678901234568, 900719925474099],
      "this has changed",
    );
  });
JS
node run.cjs
