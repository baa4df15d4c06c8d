#!/usr/bin/env bash
# YASON 0.7.6 on SBCL 2.2.9, and fcl-json of Free Pascal 3.2.2, of Debian 12, seen on 2026-12-01.
# One would guess: an amount in JSON is read as a double, and written as the shortest number that gives it back.
# What happens: YASON reads single floats: 19.99 is written 19.989999771118164, and 1234567.89 is 1234567.875. fcl-json writes each amount with
# seventeen digits and an exponent, also one of Pascal's own type for money: 19.99 is 1.9989999999999998E+001, 10.50 is 1.0500000000000000E+001.
# Why it matters: amounts above a hundred thousand lose cents in the one; readers that want two decimals refuse the other.
# Known to: the SDK computes with Decimal.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 sbcl=2:2.2.9-1 cl-yason=0.7.6-1.1 cl-alexandria=20211025.gita67c3a6-1 cl-trivial-gray-streams=20210117.git2b3823e-1 \
  fp-compiler-3.2.2=3.2.2+dfsg-20 fp-units-rtl-3.2.2=3.2.2+dfsg-20 fp-units-base-3.2.2=3.2.2+dfsg-20 fp-units-fcl-3.2.2=3.2.2+dfsg-20 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
cat >again.lisp <<'LISP'
(require :asdf)
(asdf:initialize-source-registry `(:source-registry (:tree ,(truename "usr/share/common-lisp/source/")) :ignore-inherited-configuration))
(handler-bind ((warning #'muffle-warning))
  (let ((*standard-output* (make-broadcast-stream)) (*error-output* (make-broadcast-stream))) (asdf:load-system "yason")))
(dolist (amount '("10.50" "19.99" "1234567.89"))
  (format t "~a " amount)
  (funcall (intern "ENCODE" :yason) (funcall (intern "PARSE" :yason) amount) *standard-output*)
  (terpri))
LISP
cat >again.pas <<'PAS'
{$mode objfpc}
program again;
uses fpjson, jsonparser;
var
  money: currency = 10.50;
begin
  writeln(GetJSON('{"amount":19.99}').AsJSON);
  writeln(TJSONObject.Create(['money', money]).AsJSON);
end.
PAS
units="$(echo "$folder"/usr/lib/*-linux-gnu/fpc/3.2.2)"
"$units/ppcx64" -n -v0 -Fu"$units/units/x86_64-linux/*" again.pas >log 2>&1 || { cat log; exit 2; }
{
  HOME="$folder" SBCL_HOME="$folder/usr/lib/sbcl" usr/bin/sbcl --core usr/lib/sbcl/sbcl.core --noinform --non-interactive --no-userinit --no-sysinit --load again.lisp
  ./again
} | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
10.50 10.5
19.99 19.989999771118164
1234567.89 1234567.875
{ "amount" : 1.9989999999999998E+001 }
{ "money" : 1.0500000000000000E+001 }
SEEN
