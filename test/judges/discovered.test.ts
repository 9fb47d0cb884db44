import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startProxy } from '../connectors/families/proxy.ts'
import {
  HAS_ODATA,
  HAS_ODATA_SERVER,
  HAS_PARSE,
  type StartServer,
  startJsonServer,
  startOData,
  startODataServer,
  startParse,
} from '../connectors/families/start.ts'
import { shortLived } from '../connectors/kill-claim.ts'
import { crm, startCrm } from '../e2e/crm.ts'
import { type Env, emptyHome } from '../harness/home.ts'

// Objects beyond contacts, of servers that nobody here wrote: listed by the server itself where it can, else by a file.

const KEY = 'family-key-1'
const ROWS = 500
const KILLS = 3
const LOST_EVERY = 9
const COMPANIES = 25
/** Machines that are there before the import, without companies, which changes them. */
const KNOWN = 4

type Row = Readonly<Record<string, unknown>>

interface Judge {
  readonly title: string
  readonly isHere: boolean
  readonly start: StartServer
  readonly connector: (env: Env) => string
  readonly match: string
  /** The path of the records of an object, and how a list has them. */
  readonly path: (noun: 'companies' | 'machines') => string
  readonly rowsIn: (answer: unknown) => readonly Row[]
  readonly headers?: Readonly<Record<string, string>>
  /** What of a machine an import writes: serial, hours, whether it is broken, day, id of its company. */
  readonly shown: (machine: Row) => readonly unknown[]
  readonly company: (company: Row) => readonly [domain: unknown, id: unknown]
  /** What `crm fields machines` says. */
  readonly fields: readonly Row[]
  /** Cells of `serial,hours,broken,built,company.domain` that are refused in the plan, with the reason. */
  readonly refused: readonly (readonly [cells: string, reason: string])[]
}

/** As its page shows it. */
const OURS = `connector: 2
name: ours
extends: json-server
objects:
  companies: { path: /companies, fields: { name: name, domain: domain } }
  machines:
    path: /machines
    fields:
      serial: { at: serial, label: Serial number, required: true }
      hours: { at: hours, type: integer }
      broken: { at: broken, type: boolean }
      built: { at: built, type: date }
      company_id: { at: company_id, to: companies }
`

const XML = `connector: 2
name: xml
extends: odata
# CAP answers this with XML at $metadata, and with JSON elsewhere.
headers: { Accept: '*/*' }
`

const CAP: Judge = {
  title: 'SAP CAP, by $metadata (skipped without npm ci in tools/judges)',
  isHere: HAS_ODATA,
  start: startOData,
  connector: () => 'odata',
  match: 'Serial',
  path: (noun) => (noun === 'companies' ? '/Companies' : '/Machines'),
  rowsIn: (answer) => (answer as { readonly value: readonly Row[] }).value,
  shown: ({ Serial, Hours, Broken, Built, company_ID }) => [Serial, Hours, Broken, Built, company_ID],
  company: ({ Domain, ID }) => [Domain, ID],
  fields: [
    { name: 'Serial', label: 'Serial number', type: 'string', required: true },
    { name: 'Hours', type: 'integer', required: false },
    { name: 'Broken', type: 'boolean' },
    { name: 'Built', type: 'date' },
    { name: 'State', options: ['new', 'used'] },
    { name: 'Place', read_only: true },
    { name: 'company_ID', type: 'id', to: 'companies' },
  ],
  refused: [
    [',7,true,2020-01-01,c1.test', 'Serial'],
    ['M1,x,true,2020-01-01,c1.test', 'not an integer'],
    ['M1,7,true,2020-01-01,nobody.test', 'no company has this'],
  ],
}

const JUDGES: readonly Judge[] = [
  CAP,
  {
    ...CAP,
    title: 'SAP CAP, by $metadata in XML (skipped without npm ci in tools/judges)',
    connector: ({ HOME = '' }) => {
      writeFileSync(join(HOME, 'xml.yaml'), XML)
      return join(HOME, 'xml.yaml')
    },
  },
  {
    title: 'Parse Server, by /schemas (skipped without npm ci in tools/judges, and PostgreSQL)',
    isHere: HAS_PARSE,
    start: startParse,
    connector: () => 'parse',
    match: 'serial',
    path: (noun) => `/classes/${noun === 'companies' ? 'Company' : 'Machine'}?limit=1000`,
    rowsIn: (answer) => (answer as { readonly results: readonly Row[] }).results,
    headers: { 'X-Parse-Application-Id': KEY },
    shown: ({ serial, hours, broken, built, company }) => {
      if (company) expect(company).toMatchObject({ __type: 'Pointer', className: 'Company' })
      const [day, id] = [String((built as Row).iso).slice(0, 10), (company as Row | undefined)?.objectId]
      return [serial, hours, broken, day, id ?? null]
    },
    company: ({ domain, objectId }) => [domain, objectId],
    fields: [
      { name: 'serial', type: 'string', required: true },
      { name: 'hours', type: 'number' },
      { name: 'broken', type: 'boolean' },
      { name: 'built', type: 'time' },
      { name: 'company', type: 'id', to: 'companies' },
    ],
    refused: [
      [',7,true,2020-01-01,c1.test', 'serial'],
      ['M1,x,true,2020-01-01,c1.test', 'not a number'],
      ['M1,7,true,2020-13-01,c1.test', 'built'],
      ['M1,7,true,2020-01-01,nobody.test', 'no company has this'],
    ],
  },
  {
    title: 'json-server, by a file',
    isHere: true,
    start: startJsonServer('json-server/lib/bin.js'),
    connector: ({ HOME = '' }) => {
      writeFileSync(join(HOME, 'ours.yaml'), OURS)
      return join(HOME, 'ours.yaml')
    },
    match: 'serial',
    path: (noun) => `/${noun}`,
    rowsIn: (answer) => answer as readonly Row[],
    shown: ({ serial, hours, broken, built, company_id }) => [serial, hours, broken, built, company_id ?? null],
    company: ({ domain, id }) => [domain, id],
    fields: [
      { name: 'serial', label: 'Serial number', type: 'string', required: true },
      { name: 'hours', type: 'integer' },
      { name: 'company_id', type: 'id', to: 'companies' },
    ],
    refused: [
      [',7,true,2020-01-01,c1.test', 'serial'],
      ['M1,7,perhaps,2020-01-01,c1.test', 'not a boolean'],
      ['M1,7,true,2020-13-01,c1.test', 'built'],
      ['M1,7,true,2020-01-01,nobody.test', 'no company has this'],
    ],
  },
]

for (const judge of JUDGES) {
  test.skipIf(!judge.isHere)(
    `an object with a reference, through ${KILLS} kills and undone: ${judge.title}`,
    async () => {
      const { start, connector, match, path, rowsIn, headers, shown, company, fields, refused } = judge
      const address = new URL(await start([]))
      let child: ReturnType<typeof startCrm> | undefined
      let [kills, writes, ofRun] = [0, 0, 0]
      const { url } = await startProxy(address.origin, {
        loses: ({ method }) => {
          if (method === 'GET' || !child) return false
          writes += 1
          ofRun += 1
          if (kills < KILLS && ofRun === 20 + kills * 7) child.kill('SIGKILL')
          return writes % LOST_EVERY === 4
        },
      })
      const base = url + address.pathname.replace(/\/$/, '')
      const home = emptyHome({ CRM_BASE_URL: base, CRM_API_KEY: KEY, CRM_CONNECTOR_VARS: `app=${KEY}` })
      const env = shortLived({ ...home, CRM_CONNECTOR: connector(home) })
      const out = async (...words: string[]) => {
        const { exit, stdout, stderr } = await crm(words, env)
        expect(exit, `crm ${words.join(' ')}: ${stderr}`).toBe(0)
        return stdout
      }
      const file = (name: string, lines: readonly string[]) => {
        const at = join(env.HOME ?? '', name)
        writeFileSync(at, `${lines.join('\n')}\n`)
        return at
      }
      const there = async (noun: 'companies' | 'machines') => {
        const answer = await fetch(`${address.href.replace(/\/$/, '')}${path(noun)}`, { headers: headers ?? {} })
        return rowsIn(await answer.json())
      }

      const nouns = JSON.parse(await out('objects', '--jq', 'map(.name)'))
      expect(nouns).toEqual(expect.arrayContaining(['companies', 'machines']))
      const listed = JSON.parse(await out('fields', 'machines', '-o', 'json'))
      for (const field of fields) expect(listed).toContainEqual(expect.objectContaining(field))

      const companies = Array.from({ length: COMPANIES }, (_, n) => `Company ${n},c${n}.test`)
      await out('companies', 'import', file('companies.csv', ['name,domain', ...companies]), '--yes')
      const idOf = new Map((await there('companies')).map(company))
      expect(idOf.size).toBe(COMPANIES)

      const cells = (n: number, hours: number) => [`M${n}`, hours, n % 2 === 0, '2020-01-01', `c${n % COMPANIES}.test`]
      const head = 'serial,hours,broken,built,company.domain'
      const known = Array.from({ length: KNOWN }, (_, n) => cells(n, 1000).with(-1, '').join())
      await out('machines', 'import', file('known.csv', [head, ...known]), '--yes')
      const before = await there('machines')
      for (const [row, reason] of refused) {
        const { exit, stderr } = await crm(['machines', 'import', file('wrong.csv', [head, row]), '--yes'], env)
        expect(exit, stderr).toBe(2)
        expect(stderr).toContain(reason)
      }
      expect(await there('machines')).toEqual(before)

      const rows = Array.from({ length: ROWS }, (_, n) => cells(n, n))
      const machines = file('machines.csv', [head, ...rows.map((row) => row.join())])
      const words = ['machines', 'import', machines, '--match', match, '--yes', '-o', 'json']
      let run: Awaited<(typeof child & {})['done']>
      let printed = ''
      do {
        ;[printed, ofRun] = ['', 0]
        child = startCrm(words, env)
        child.stdout.on('data', (chunk) => {
          printed += chunk
        })
        run = await child.done
        if (run.exit === 'SIGKILL') kills += 1
      } while (run.exit === 'SIGKILL')
      child = undefined
      expect(run.exit, run.stderr).toBe(0)
      expect(kills).toBe(KILLS)
      const { job, done } = JSON.parse(printed)
      expect(done).toBe(ROWS)
      const wanted = rows.map((row) => row.with(-1, idOf.get(row.at(-1)) as string))
      expect((await there('machines')).map(shown).toSorted()).toEqual(wanted.toSorted())
      expect(JSON.parse(await out('machines', 'list', '-o', 'json'))).toHaveLength(ROWS)

      await out('jobs', 'undo', job, '--yes', '--expect', `${ROWS - KNOWN}`)
      expect((await there('machines')).map(shown).toSorted()).toEqual(before.map(shown).toSorted())
    },
  )
}

test.skipIf(!HAS_ODATA_SERVER)('a server with XML alone at $metadata has its own objects, too', async () => {
  const env = emptyHome({ CRM_CONNECTOR: 'odata', CRM_BASE_URL: await startODataServer([]), CRM_API_KEY: KEY })
  const run = async (...words: string[]) => {
    const { exit, stdout, stderr } = await crm(words, env)
    expect(exit, stderr).toBe(0)
    return stdout
  }
  expect(await run('objects', '--jq', 'map(.name) | join(" ")')).toBe('contacts deals notes machines\n')
  await run('machines', 'create', '--set', 'Serial=M1')
  expect(JSON.parse(await run('machines', 'list', '--jq', 'map(.Serial)'))).toEqual(['M1'])
})
