import { encodeId, firstSerialAt } from '../src/core/ids.ts'
import { openStore } from '../src/service/store/open-store.ts'

const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
const START_MS = Date.UTC(2026, 0, 1)
const STAGES = ['Lead', 'Qualified', 'Proposal', 'Negotiation', 'Won', 'Lost']

/** Inserts rows as the service writes them directly into its tables: a million over HTTP would take minutes. */
export async function fillContacts(file: string, count: number): Promise<void> {
  const insert = 'INSERT INTO contacts (id, version, text) VALUES (?, 1, ?)'
  await fill(file, count, insert, (number) => [contactRow(number).text])
}

/** A contact of the time at which `fillContacts` creates it. */
export function contactRow(number: number): { readonly serial: number; readonly text: string } {
  const timeMs = START_MS + number * 10
  const serial = firstSerialAt(timeMs)
  const time = new Date(timeMs).toISOString()
  const text = `{"id":"${encodeId('contact', serial)}","name":"Contact ${number}","email":"c${number}@example.test","phone":"+49 151 ${number}","company":"Company ${number % 977}","owner_id":"u_${number % 40}","created_at":"${time}","updated_at":"${time}","version":1}`
  return { serial, text }
}

export async function fillDeals(file: string, count: number): Promise<void> {
  const insert = `INSERT INTO deals (id, version, text, name, stage, owner_id, pipeline_id, amount) VALUES (?, 1, ?, ?, ?, ?, 'sales', ?)`
  await fill(file, count, insert, (number, serial, time) => {
    const [name, stage, owner] = [`Deal ${number % 5000}`, STAGES[number % 6] ?? '', `u_${number % 40}`]
    const amount = (number * 37) % 100_000
    return [
      `{"id":"${encodeId('deal', serial)}","name":"${name}","stage":"${stage}","owner_id":"${owner}","amount":${amount},"pipeline_id":"sales","created_at":"${time}","updated_at":"${time}","version":1}`,
      name,
      stage,
      owner,
      amount,
    ]
  })
}

type Values = (number: number, serial: number, time: string) => (string | number)[]

async function fill(file: string, count: number, insert: string, values: Values): Promise<void> {
  const store = await openStore({ address: file, now: Date.now })
  await store.close()
  const db = new DatabaseSync(file)
  const statement = db.prepare(insert)
  db.exec('PRAGMA synchronous = OFF; BEGIN')
  for (let number = 0; number < count; number++) {
    const timeMs = START_MS + number * 10
    const serial = firstSerialAt(timeMs)
    statement.run(serial, ...values(number, serial, new Date(timeMs).toISOString()))
  }
  db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
}
