#!/usr/bin/env bash
# @electric-sql/pglite 0.5.17 and drizzle-orm 0.45.4 on Node.js 20, seen on 2026-11-29.
# One would guess: a Date that is stored in a column `timestamp` is read back as it was; each result of `exec` says how many rows its own
# statement changed.
# What happens: a Date is written as in UTC and read as in the host's zone, so that in Shanghai it comes back eight hours earlier; drizzle
# reads the same row as UTC. Counts of `exec` add up: after an INSERT of one row, an UPDATE of one says 2, and so does a SELECT.
# Why it matters: the expiry of an order is hours off on some hosts; "was exactly one row changed" is answered wrongly.
# Known to: our ledgers store texts with an offset.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save @electric-sql/pglite@0.5.17 drizzle-orm@0.45.4 || exit 2
cat >run.mjs <<'JS'
import { PGlite } from '@electric-sql/pglite'
import { pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/pglite'

const db = await PGlite.create()
await db.exec('CREATE TABLE orders (id text, expires timestamp)')
await db.query('INSERT INTO orders VALUES ($1, $2)', ['ORD_1', new Date('2026-11-29T10:00:00Z')])
const orders = pgTable('orders', { id: text('id'), expires: timestamp('expires') })
console.log(JSON.stringify({
  pglite: (await db.query('SELECT expires FROM orders')).rows[0].expires,
  drizzle: (await drizzle(db).select().from(orders))[0].expires,
  counts: (await db.exec("INSERT INTO orders VALUES ('ORD_2'); UPDATE orders SET id = 'ORD_3' WHERE id = 'ORD_2'; SELECT 1"))
    .map((result) => result.affectedRows),
}))
JS
TZ=UTC node run.mjs | tee utc
TZ=Asia/Shanghai node run.mjs | tee shanghai
rest='"drizzle":"2026-11-29T10:00:00.000Z","counts":[1,2,2]'
[ "$(cat utc)" = "{\"pglite\":\"2026-11-29T10:00:00.000Z\",$rest}" ]
[ "$(cat shanghai)" = "{\"pglite\":\"2026-11-29T02:00:00.000Z\",$rest}" ]
