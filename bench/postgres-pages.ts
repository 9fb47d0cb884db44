import { join } from 'node:path'
import pg from 'pg'
import { openStore } from '../src/service/store/open-store.ts'
import { compare, deepCursor } from './large.ts'
import { getRequest, runLoad } from './load.ts'
import { benchFolder, median, type Server, startCrm } from './processes.ts'
import { contactRow, fillContacts } from './seed.ts'
import type { Row } from './table.ts'

const MILLION = 1_000_000
const ROWS_PER_INSERT = 10_000
const FOR_MS = 1000
const ROUNDS = 5

/** Pages of 100 of a million contacts, in turns with those of SQLite. */
export async function measurePostgresPages(address: string): Promise<Row[]> {
  const file = join(benchFolder(), 'contacts.db')
  await fillContacts(file, MILLION)
  await fillPostgres(address)
  const [postgres, sqlite] = [await startCrm(address), await startCrm(file)]
  const path = '/v1/contacts?limit=100'
  const deepPath = `${path}&cursor=${await deepCursor(postgres, 10_000 - 1)}`
  const rounds: { readonly first: number; readonly deep: number; readonly sqlite: number }[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const rates = {
      first: await rateOf(postgres, path),
      sqlite: await rateOf(sqlite, path),
      deep: await rateOf(postgres, deepPath),
    }
    // The first round prepares statements and compiles code.
    if (round > 0) rounds.push(rates)
  }
  await Promise.all([postgres.stop(), sqlite.stop()])
  const of = (name: 'first' | 'deep' | 'sqlite') => median(rounds.map((round) => round[name]))
  return [
    compare('page of 100 from PostgreSQL beside SQLite, 1,000,000 contacts', of('first'), of('sqlite'), {
      atLeast: 0.5,
    }),
    compare('page 10,000 beside page 1 on PostgreSQL', of('deep'), of('first'), { atLeast: 0.9 }),
  ]
}

async function rateOf({ url, key }: Server, path: string): Promise<number> {
  const request = () => getRequest(path, key)
  return (await runLoad({ url, connections: 32, forMs: FOR_MS, request })).perSecond
}

/** As `fillContacts`, without the columns of filters, which no page reads. */
async function fillPostgres(address: string): Promise<void> {
  const store = await openStore({ address, now: Date.now })
  await store.close()
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  for (let from = 0; from < MILLION; from += ROWS_PER_INSERT) {
    const some = Array.from({ length: ROWS_PER_INSERT }, (_, place) => contactRow(from + place))
    await client.query(
      'INSERT INTO contacts (id, version, text) SELECT id, 1, text FROM unnest($1::bigint[], $2::text[]) AS given (id, text)',
      [some.map(({ serial }) => serial), some.map(({ text }) => text)],
    )
  }
  await client.query('VACUUM ANALYZE contacts')
  await client.end()
}
