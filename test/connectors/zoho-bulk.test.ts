import { expect, test } from 'vitest'
import type { Row } from './emulators/emulator.ts'
import type { ZohoOptions } from './emulators/zoho.ts'
import { reachZoho } from './reach-zoho.ts'

const NAMES = Array.from({ length: 1000 }, (_, n) => `Company ${n}`)
  .with(0, "O'Brien")
  .with(1, 'Ash (East), Inc.')

/** Of 100 contacts, one has an address that Zoho refuses. */
const PEOPLE = Array.from({ length: 3000 }, (_, n) => ({
  name: `Person ${n}`,
  email: n % 100 === 57 ? `nowhere${n}` : `p${n}@x.test`,
  company: NAMES[n % NAMES.length] ?? '',
}))

/** Of the writes, every fifth has an effect and no answer. */
function losing(): NonNullable<ZohoOptions['faults']> {
  let writes = 0
  return ({ method, path }) => {
    if (method === 'GET' || path.endsWith('/coql')) return undefined
    writes += 1
    return writes % 5 === 3 ? 'lose-answer' : undefined
  }
}

test.each([
  ['upserted by email', ['--match', 'email']],
  ['created', []],
] as const)(
  '1,000 companies and 3,000 contacts of theirs, %s while answers get lost, are there once, and undone',
  async (_, match) => {
    const { json, run, records, fileOf, emulator, sent } = await reachZoho({ faults: losing() })
    const companies = fileOf('companies.csv', ['name,city', ...NAMES.map((name) => `"${name}",Bonn`)])
    const made = await json('companies', 'import', companies, '--match', 'name', '--yes')
    expect([made, records('Accounts').length]).toMatchObject([{ done: 1000, failed: 0, in_doubt: 0 }, 1000])
    const rows = PEOPLE.map(({ name, email, company }) => `${name},${email},"${company}"`)
    const people = fileOf('people.csv', ['name,email,company.name', ...rows])
    const words = ['contacts', 'import', people, ...match, '--yes', '--max-errors', '100', '-o', 'json']
    const { exit, stdout, stderr } = await run(...words)
    expect(exit, stderr).toBe(3)
    const { job, ...account } = JSON.parse(stdout)
    expect(account).toMatchObject({ rows: 3000, done: 2970, failed: 30, in_doubt: 0 })
    const failed = await json('jobs', 'failed', job)
    expect(failed.map(({ line }: Row) => line)).toEqual(Array.from({ length: 30 }, (_, at) => 59 + at * 100))
    expect(failed[0]).toMatchObject({ field: 'Email', reason: 'Email: invalid data' })
    const names = new Map(records('Accounts').map(({ id, Account_Name }) => [id, Account_Name]))
    const found = records('Contacts').map(({ Email, Account_Name }) => [Email, names.get((Account_Name as Row).id)])
    const wanted = PEOPLE.filter(({ email }) => email.includes('@')).map(({ email, company }) => [email, company])
    expect(found.toSorted()).toEqual(wanted.toSorted())
    expect(emulator.effects('Contacts', 'created')).toBe(2970)
    expect(sent('GET', '/Contacts').filter(({ status }) => status !== 200 && status !== 204)).toEqual([])
    await run('jobs', 'undo', job, '--yes', '--expect', '2970')
    expect(records('Contacts')).toEqual([])
    await run('jobs', 'undo', made.job, '--yes', '--expect', '1000')
    expect(records('Accounts')).toEqual([])
  },
  120_000,
)
