#!/usr/bin/env bash
# parse-cron 0.1.4 with Ruby 3.1.2 of Debian 12, seen on 2026-12-01.
# One would guess: `0 9 31 * *` is the 31st of the months that have one, and `0 9 29 2 *` is 29 February, every four years.
# What happens: a month without that day has its 1st instead: 31 January, 1 February, 31 March, 1 April; and 1 February in each year that
# is not a leap year. 30,31 has 1 February too, 15,31 has none. `last`, asked in April, is 31 March, and 1 February for the 29th of 2026.
# Why it matters: a payout at the end of the month is made again a day later, after each long month.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 ruby-parse-cron=0.1.4-1.1 ruby3.1=3.1.7+really3.1.2-0+deb12u1 libruby3.1=3.1.7+really3.1.2-0+deb12u1 2>/dev/null || exit 2
for package in *.deb; do
  dpkg --extract "$package" .
done
lib=usr/lib/x86_64-linux-gnu
LD_LIBRARY_PATH="$lib" usr/bin/ruby3.1 --disable-gems -I usr/lib/ruby/3.1.0 -I "$lib/ruby/3.1.0" -I usr/lib/ruby/vendor_ruby - <<'RB' | tee seen
require "cron_parser"

["0 9 31 * *", "0 9 30 * *", "0 9 29 2 *", "0 9 15,31 * *", "0 9 30,31 * *"].each do |line|
  cron = CronParser.new(line)
  time = Time.utc(2026, 1, 15)
  nexts = (1..6).map { (time = cron.next(time)).strftime("%y-%m-%d") }
  puts "#{line}: #{nexts.join(" ")}, last #{cron.last(Time.utc(2026, 4, 15)).strftime("%m-%d")}"
end
RB
[ "$(cat seen)" = "0 9 31 * *: 26-01-31 26-02-01 26-03-31 26-04-01 26-05-31 26-06-01, last 03-31
0 9 30 * *: 26-01-30 26-02-01 26-03-30 26-04-30 26-05-30 26-06-30, last 03-30
0 9 29 2 *: 27-02-01 28-02-29 29-02-01 30-02-01 31-02-01 32-02-29, last 02-01
0 9 15,31 * *: 26-01-15 26-01-31 26-02-15 26-03-15 26-03-31 26-04-15, last 03-31
0 9 30,31 * *: 26-01-30 26-01-31 26-02-01 26-03-30 26-03-31 26-04-30, last 03-31" ]
