import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { manyNames } from './labelled-names.ts'
import { benchFolder, CRM, plainEnv, startCrm, watchProcess } from './processes.ts'
import { fillPeople } from './seed.ts'
import type { Row } from './table.ts'

const MOST_MS = 10_000
const MOST_MIB = 200

/** `crm contacts duplicates` by email, phone and similar name, beside a listing of the same contacts to the same place. */
export async function measureDuplicates(count: number): Promise<Row[]> {
  const folder = benchFolder()
  const database = join(folder, 'people.db')
  await fillPeople(database, [...manyNames(count)].map(personOf))
  const server = await startCrm(database)
  const env = { ...plainEnv(), HOME: folder, CRM_BASE_URL: server.url, CRM_API_KEY: server.key }
  const out = join(folder, 'groups.jsonl')
  const run = (words: readonly string[]) =>
    watchProcess([process.execPath, CRM, 'contacts', ...words, '-q', '-o', 'jsonl'], env, [
      'ignore',
      openSync(out, 'w'),
      'ignore',
    ])
  const listed = await run(['list'])
  const found = await run(['duplicates'])
  const groups = readFileSync(out, 'utf8').split('\n').length - 1
  await server.stop()
  const what = `duplicates of ${count.toLocaleString('en')} contacts, ${groups.toLocaleString('en')} groups`
  return [
    {
      what,
      measured: `${(found.tookMs / 1000).toFixed(1)} s (a list takes ${(listed.tookMs / 1000).toFixed(1)} s)`,
      peer: `${MOST_MS / 1000} s`,
      ratio: found.tookMs / MOST_MS,
      goal: { atMost: 1 },
    },
    {
      what: 'memory of that search',
      measured: `${found.peakMiB.toFixed(0)} MiB`,
      peer: `${MOST_MIB} MiB`,
      ratio: found.peakMiB / MOST_MIB,
      goal: { atMost: 1 },
    },
  ]
}

/** Every hundredth has the address or the number of the one before in another form. */
function personOf(name: string, at: number): Readonly<Record<string, string>> {
  const isTwice = at % 100 === 50
  const number = isTwice ? at - 1 : at
  const phone = String(151_000_000 + number)
  return {
    name,
    email: isTwice ? ` P${number}@Example.test` : `p${number}@example.test`,
    phone: at % 100 === 51 ? `0049 (151) ${String(151_000_000 + at - 1)}` : `+49 151 ${phone}`,
  }
}
