#!/usr/bin/env bash
# DBD::CSV 0.60 and SQL::Statement 1.414 of Debian 12, seen on 2026-11-30.
# One would guess: fields of a CSV file are texts, and a condition with a text in quotes finds the row that has this text.
# What happens: whatever looks like numbers is compared as doubles, in quotes too: id = '123' finds 00123, '1e2' finds 100, and an id of twenty
# digits finds its neighbours; an UPDATE of one order changes two, and DELETE takes both. ORDER BY, DISTINCT and LIKE compare texts.
# Why it matters: a refund is noted at two orders, and a file of payments loses those whose ids are alike from the seventeenth digit on.
# Known to: the SDK's ids are texts.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q=2 libdbi-perl=1.643-4+deb12u3 libdbd-csv-perl=0.6000-1+deb12u1 libsql-statement-perl=1.414-1 libtext-csv-xs-perl=1.49-1+deb12u1 \
  libparams-util-perl=1.102-2+b1 libclone-perl=0.46-1 libmodule-runtime-perl=0.016-2 2>/dev/null || exit 2
for package in *.deb; do dpkg --extract "$package" .; done
PERL5LIB="usr/share/perl5:$(echo usr/lib/*-linux-gnu/perl5/5.36)"
export PERL5LIB
printf 'id,amount\n00123,10.50\n123,9.00\n1e2,5.00\n100,0.01\n20261129000000000001,1.00\n20261129000000000002,2.00\n' >paid.csv
cat >run.pl <<'PL'
use strict;
use warnings;
use DBI;

my $paid = DBI->connect('dbi:CSV:', undef, undef, { f_dir => '.', f_ext => '.csv', RaiseError => 1 });
sub ids { join ' ', map { $_->[0] } @{ $paid->selectall_arrayref(@_) } }
for my $id ('123', '1e2', '20261129000000000001') {
    print "$id: ", ids('SELECT id FROM paid WHERE id = ?', undef, $id), "\n";
}
print 'in quotes: ', ids("SELECT id FROM paid WHERE id = '123'"), ', like: ', ids("SELECT id FROM paid WHERE id LIKE '123'"), "\n";
print 'changed: ', $paid->do("UPDATE paid SET amount = '0.00' WHERE id = '20261129000000000002'"), "\n";
print 'deleted: ', $paid->do("DELETE FROM paid WHERE id = '1e2'"), "\n";
PL
perl run.pl | tee seen
tail -n 2 paid.csv | tr -d '\r' | tee -a seen
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
123: 00123 123
1e2: 1e2 100
20261129000000000001: 20261129000000000001 20261129000000000002
in quotes: 00123 123, like: 123
changed: 2
deleted: 2
20261129000000000001,0.00
20261129000000000002,0.00
SEEN
