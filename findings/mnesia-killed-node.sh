#!/usr/bin/env bash
# Mnesia 4.21.3 of Erlang/OTP 25.2.3 of Debian 12, seen on 2026-12-01.
# One would guess: what a transaction on a table with disc_copies has committed is there after the node is killed: the log is written before
# {atomic, ok}, and only a power cut could take it; sync_transaction waits for the disk in any case.
# What happens: a log is kept in the node's memory for two seconds: of a hundred payments, each answered {atomic, ok}, none is there after
# kill -9, those of sync_transaction neither. After `mnesia:sync_log()`, or three seconds later, all are.
# Why it matters: a worker that the system kills for its memory forgets the orders that it has just sent, and sends them again.
# Known to: our ledgers commit to SQLite, PostgreSQL or MariaDB.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 erlang-base=1:25.2.3+dfsg-1+deb12u4 erlang-mnesia=1:25.2.3+dfsg-1+deb12u4 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
export ROOTDIR="$folder/usr/lib/erlang" EMU=beam PROGNAME=erl HOME="$folder"
export BINDIR="$ROOTDIR/erts-13.1.5/bin"
erl() { "$BINDIR/erlexec" -boot "$ROOTDIR/bin/start_clean" -noshell -mnesia dir "\"$folder/$1\"" -eval "$2"; }
pay='ok = mnesia:create_schema([node()]), ok = mnesia:start(),
  {atomic, ok} = mnesia:create_table(paid, [{disc_copies, [node()]}, {attributes, [order, amount]}]),
  Pay = fun(How) -> [{atomic, ok} = mnesia:How(fun() -> mnesia:write({paid, N, 1050}) end) || N <- lists:seq(1, 100)] end,
  Kill = fun() -> os:cmd("kill -9 " ++ os:getpid()) end,'
seen() { erl "$1" 'ok = mnesia:start(), ok = mnesia:wait_for_tables([paid], 20000), io:format("~p", [mnesia:table_info(paid, size)]), halt().'; }
(erl once "$pay Pay(transaction), Kill().") || true
(erl sync "$pay Pay(sync_transaction), Kill().") || true
(erl logged "$pay Pay(transaction), mnesia:sync_log(), Kill().") || true
(erl later "$pay Pay(transaction), timer:sleep(6000), Kill().") || true
echo "at once $(seen once), sync_transaction $(seen sync), after sync_log $(seen logged), later $(seen later)" | tee seen
[ "$(cat seen)" = "at once 0, sync_transaction 0, after sync_log 100, later 100" ]
