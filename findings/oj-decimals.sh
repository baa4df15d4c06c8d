#!/usr/bin/env bash
# Oj 3.14.2 on Ruby 3.1.2 of Debian 12, seen on 2026-12-01.
# One would guess: each reader of the library gives the number that is there, at worst the nearest double, and what is written has its cents.
# What happens: `Oj::Parser.new(:usual)`, the newer reader, forgets the point of a number below one that has seventeen digits or more:
# 0.333333333333333333 is 333333333333333333. `Oj.load` reads it. `Oj.dump` writes fifteen digits: 12345678901234.56 is 12345678901234.6.
# Why it matters: a rate that another program wrote with all its digits is read as quintillions; large totals lose their last cents.
# Known to: the SDK reads the digits of any size.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 ruby3.1=3.1.7+really3.1.2-0+deb12u1 libruby3.1=3.1.7+really3.1.2-0+deb12u1 ruby-oj=3.14.2-1+deb12u1 libyaml-0-2=0.2.5-1 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
cat >run.rb <<'RB'
require 'bigdecimal'
require 'oj'

newer = Oj::Parser.new(:usual)
%w[0.3333333333333333 0.333333333333333333 1.333333333333333333].each do |rate|
  puts "#{rate}: #{[newer.parse("{\"rate\":#{rate}}"), Oj.load("{\"rate\":#{rate}}")].map { |read| BigDecimal(read['rate'].to_s).to_s('F') }.join(' ')}"
end
puts [Oj.dump(12345678901234.56), 12345678901234.56].join(' ')
RB
libraries="$(echo "$folder"/usr/lib/*-linux-gnu)"
oj="$(dirname "$(dirname "$(find "$libraries" -name bag.rb)")")"
compiled="$(dirname "$(dirname "$(find "$libraries" -name oj.so)")")"
LD_LIBRARY_PATH="$libraries" RUBYLIB="$folder/usr/lib/ruby/3.1.0:$libraries/ruby/3.1.0:$oj:$compiled" \
  "$folder/usr/bin/ruby3.1" --disable-gems run.rb | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
0.3333333333333333: 0.3333333333333333 0.3333333333333333
0.333333333333333333: 333333333333333333.0 0.333333333333333333
1.333333333333333333: 1.333333333333333333 1.333333333333333333
12345678901234.6 12345678901234.56
SEEN
