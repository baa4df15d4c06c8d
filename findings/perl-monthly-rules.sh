#!/usr/bin/env bash
# DateTime::Event::ICal 0.13 of Debian 12 and python-dateutil 4.0.0, seen on 2026-11-30.
# One would guess: the fifteenth of a month, `freq => 'daily', bymonthday => [15]`, comes each month, and a yearly rule with it each month too:
# the days of the month limit a daily rule and widen a yearly one (RFC 5545).
# What happens: once a year, in the month of the start, and so does the last day of the month. A weekly rule in January comes only in the years
# in which the 31st is a Saturday again: 2026, 2032, 2037. dateutil gives each month, and each week.
# Why it matters: a fee that is due twelve times a year is collected once.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 libb-hooks-endofscope-perl=0.26-1 libclass-data-inheritable-perl=0.08-3 libclass-inspector-perl=1.36-3 libclass-singleton-perl=1.6-2 \
  libdatetime-event-ical-perl=0.13-2 libdatetime-event-recurrence-perl=0.19-2 libdatetime-locale-perl=1:1.37-1 libdatetime-perl=2:1.59-1 \
  libdatetime-set-perl=0.3900-2 libdatetime-timezone-perl=1:2.60-1+2026f libdevel-stacktrace-perl=2.0400-2 libeval-closure-perl=0.14-3 \
  libexception-class-perl=1.45-1 libfile-sharedir-perl=1.118-3 libmodule-implementation-perl=0.09-2 libmodule-runtime-perl=0.016-2 \
  libmro-compat-perl=0.15-2 libnamespace-autoclean-perl=0.29-2 libnamespace-clean-perl=0.27-2 libpackage-stash-perl=0.40-1 \
  libparams-util-perl=1.102-2+b1 libparams-validate-perl=1.31-1 libparams-validationcompiler-perl=0.31-1 librole-tiny-perl=2.002004-1 \
  libset-infinite-perl=0.65-3 libspecio-perl=0.48-1 libsub-exporter-progressive-perl=0.001013-3 libsub-identify-perl=0.14-3 \
  libtry-tiny-perl=0.31-2 libvariable-magic-perl=0.63-1+b1 libxstring-perl=0.005-2+b1 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
PERL5LIB="usr/share/perl5:$(echo usr/lib/*-linux-gnu/perl5/5.36)"
export PERL5LIB
"${PYTHON:-python3}" -m venv venv
venv/bin/pip install --quiet python-dateutil==4.0.0 || exit 2
cat >run.pl <<'PL'
use strict;
use warnings;
use DateTime;
use DateTime::Event::ICal;

sub first_four {
    my ($month, $day, @rule) = @_;
    my $due = DateTime::Event::ICal->recur(dtstart => DateTime->new(year => 2026, month => $month, day => $day, hour => 10), @rule)->iterator;
    print join(' ', map { $due->next->ymd } 1 .. 4), "\n";
}
first_four(1, 15, freq => 'daily', bymonthday => [15]);
first_four(1, 31, freq => 'daily', bymonthday => [-1]);
first_four(1, 15, freq => 'yearly', bymonthday => [15]);
first_four(1, 31, freq => 'weekly', bymonth => [1]);
PL
cat >run.py <<'PY'
from datetime import datetime
from itertools import islice

from dateutil.rrule import DAILY, WEEKLY, YEARLY, rrule

for day, frequency, rule in ((15, DAILY, {"bymonthday": 15}), (31, DAILY, {"bymonthday": -1}), (15, YEARLY, {"bymonthday": 15}), (31, WEEKLY, {"bymonth": 1})):
    print(*(due.date() for due in islice(rrule(frequency, datetime(2026, 1, day, 10), **rule), 4)))
PY
{ perl run.pl; venv/bin/python run.py; } | tee seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
2026-01-15 2027-01-15 2028-01-15 2029-01-15
2026-01-31 2027-01-31 2028-01-31 2029-01-31
2026-01-15 2027-01-15 2028-01-15 2029-01-15
2026-01-31 2032-01-31 2037-01-31 2043-01-31
2026-01-15 2026-02-15 2026-03-15 2026-04-15
2026-01-31 2026-02-28 2026-03-31 2026-04-30
2026-01-15 2026-02-15 2026-03-15 2026-04-15
2026-01-31 2027-01-02 2027-01-09 2027-01-16
SEEN
