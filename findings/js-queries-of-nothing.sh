#!/usr/bin/env bash
# drizzle-orm 0.45.4, kysely 0.28.19 and @mikro-orm/libsql 7.2.2 with @libsql/client 0.18.0, seen on 2026-12-01.
# One would guess: a filter for no order, or for an order that is undefined, finds none or is refused; a member that is undefined is not
# set.
# What happens: drizzle's `or()` of an empty list is no filter: an UPDATE of no order marks all as paid. kysely's `eb.and({ number:
# undefined })` is none either, and its DELETE takes all, while `where('number', '=', undefined)` is refused. MikroORM finds none, but its
# update writes NULL for a member that is undefined, which the other two leave alone.
# Why it matters: a job that has nothing to do today marks or deletes each order.
# Known to: none.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --no-save drizzle-orm@0.45.4 kysely@0.28.19 @libsql/kysely-libsql@0.4.1 @libsql/client@0.18.0 \
  @mikro-orm/core@7.2.2 @mikro-orm/libsql@7.2.2 || exit 2
cat >run.mjs <<'JS'
import assert from 'node:assert'
import { createClient } from '@libsql/client'
import { LibsqlDialect } from '@libsql/kysely-libsql'
import { EntitySchema, MikroORM } from '@mikro-orm/libsql'
import { eq, or } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/libsql'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { Kysely } from 'kysely'

const rows = [{ number: 'A', status: 'open' }, { number: 'B', status: 'open' }]
const table = 'CREATE TABLE orders (number TEXT PRIMARY KEY, status TEXT)'
const client = createClient({ url: 'file:orders.db' })
await client.execute(table)
const fill = async () => {
  await client.execute('DELETE FROM orders')
  for (const { number, status } of rows) await client.execute({ sql: 'INSERT INTO orders VALUES (?, ?)', args: [number, status] })
}
const all = async () => (await client.execute('SELECT * FROM orders ORDER BY number')).rows.map((row) => `${row.number} ${row.status}`).join(', ')

const orders = sqliteTable('orders', { number: text('number').primaryKey(), status: text('status') })
const one = drizzle(client)
const seen = { drizzle: {}, kysely: {}, mikro: {} }
await fill()
await one.update(orders).set({ status: 'paid' }).where(or(...[].map((number) => eq(orders.number, number))))
seen.drizzle['update of no order'] = await all()
await fill()
seen.drizzle['delete of undefined'] = await one.delete(orders).where(eq(orders.number, undefined)).then(all, () => 'refused')

const two = new Kysely({ dialect: new LibsqlDialect({ url: 'file:orders.db' }) })
await fill()
seen.kysely['delete of undefined'] = await two.deleteFrom('orders').where('number', '=', undefined).execute().then(all, () => 'refused')
await fill()
await two.deleteFrom('orders').where((eb) => eb.and({ number: undefined })).execute()
seen.kysely['delete of { undefined }'] = await all()
await fill()
await two.updateTable('orders').set({ status: 'paid' }).where((eb) => eb.or([])).execute()
seen.kysely['update of no order'] = await all()

const Order = new EntitySchema({ name: 'Order', tableName: 'orders', properties: {
  number: { type: 'string', primary: true }, status: { type: 'string', nullable: true }
} })
const three = (await MikroORM.init({ entities: [Order], dbName: 'orders.db' })).em.fork()
await fill()
await three.nativeDelete('Order', { number: undefined })
seen.mikro['delete of undefined'] = await all()
await three.nativeUpdate('Order', { $or: [] }, { status: 'paid' })
seen.mikro['update of no order'] = await all()
await three.nativeUpdate('Order', { number: 'A' }, { status: undefined })
seen.mikro['set undefined'] = await all()
console.log(seen)
assert.deepStrictEqual(seen, {
  drizzle: { 'update of no order': 'A paid, B paid', 'delete of undefined': 'refused' },
  kysely: { 'delete of undefined': 'refused', 'delete of { undefined }': '', 'update of no order': 'A open, B open' },
  mikro: { 'delete of undefined': 'A open, B open', 'update of no order': 'A open, B open', 'set undefined': 'A null, B open' }
}, 'this has changed')
process.exit(0)
JS
node run.mjs
