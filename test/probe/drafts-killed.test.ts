import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startProxy } from '../connectors/families/proxy.ts'
import {
  HAS_DJANGO,
  HAS_ODATA,
  HAS_PARSE,
  type StartServer,
  startDjango,
  startJsonServer,
  startOData,
  startParse,
} from '../connectors/families/start.ts'
import { crm, crmPrints } from '../harness/crm.ts'
import { emptyHome } from '../harness/home.ts'

const CRM = fileURLToPath(new URL('../../bin/crm.js', import.meta.url))
const KEY = 'family-key-1'
const KILLS = 20
const ROWS = 600
/** No usual size of a page. */
const SEEDS = 137
/** Of these, those whose address begins with contact1. */
const CHANGED = 48
const LOST_EVERY = 9

interface Judge {
  readonly title: string
  readonly isHere: boolean
  readonly start: StartServer
  readonly flags: readonly string[]
  /** What a person corrects in the draft, since the probe writes nothing. */
  readonly correct?: (draft: string) => string
}

const JUDGES: readonly Judge[] = [
  {
    title: 'json-server 0.17, which shows no times',
    isHere: true,
    start: startJsonServer('json-server-0/lib/cli/bin.js'),
    flags: ['--writes', 'contacts=patch'],
  },
  {
    title: 'Django REST framework (skipped without python3-djangorestframework)',
    isHere: HAS_DJANGO,
    start: startDjango({ paging: 'page', slash: true }),
    flags: ['--auth', 'header:Authorization:Token', '--writes', 'contacts=patch'],
  },
  {
    title: 'SAP CAP (skipped without npm ci in tools/judges)',
    isHere: HAS_ODATA,
    start: startOData,
    flags: ['--resource', 'contacts=/Contacts', '--writes', 'contacts=patch'],
  },
  {
    title: 'Parse Server (skipped without npm ci in tools/judges, and PostgreSQL)',
    isHere: HAS_PARSE,
    start: startParse,
    flags: [
      ...['--auth', 'header:X-Parse-Application-Id', '--resource', 'contacts=/classes/Contact'],
      ...['--writes', 'contacts=put'],
    ],
    correct: (draft) =>
      draft
        .replace(/ create:.*/, ' create: { gives: objectId }')
        .replace(/ update:.*/, ' update: { method: PUT, sends: changes, gives: nothing }')
        .replace(/ delete:.*/, ' delete: { ok: 200 }'),
  },
]

for (const { title, isHere, start, flags, correct = (draft: string) => draft } of JUDGES) {
  test.skipIf(!isHere)(
    `a draft of the probe imports through ${KILLS} kills, changes, deletes, and undoes to the state before: ${title}`,
    async () => {
      const seeds = Array.from({ length: SEEDS }, (_, n) => ({
        name: `Contact ${n}`,
        email: `contact${n}@families.test`,
      }))
      const address = new URL(await start(seeds))
      let [child, kills, writes, ofRun]: [ReturnType<typeof spawn> | undefined, number, number, number] = [
        undefined,
        0,
        0,
        0,
      ]
      const { url } = await startProxy(address.origin, {
        loses: ({ method }) => {
          if (method === 'GET' || !child) return false
          writes += 1
          ofRun += 1
          if (kills < KILLS && ofRun === 1 + ((kills * 3) % 10)) child.kill('SIGKILL')
          return writes % LOST_EVERY === 4
        },
      })
      const base = url + address.pathname.replace(/\/$/, '')
      const env = emptyHome({ CRM_API_KEY: KEY, CRM_BASE_URL: base })
      const draft = join(env.HOME, 'drafted.yaml')
      const create = ['connectors', 'create', '--probe', base, '--out', draft, '--resource', 'deals=none', ...flags]
      await crmPrints(create, env)
      const text = correct(readFileSync(draft, 'utf8')).replace(/^idempotency:.*\n/m, '')
      writeFileSync(draft, `${text}idempotency: { life: 1s }\n`)
      const own = { ...env, CRM_CONNECTOR: draft }
      const checked = await crm(['connectors', 'check', '--write', '--yes'], own)
      expect(checked, checked.stderr + text).toMatchObject({ exit: 0 })
      const state = async () => JSON.parse(await crmPrints(['contacts', 'list', '-o', 'json'], own))
      const before = await state()
      const file = join(env.HOME, 'people.csv')
      writeFileSync(
        file,
        `name,email\n${Array.from({ length: ROWS }, (_, n) => `Person ${n},new${n}@import.test\n`).join('')}`,
      )
      const args = ['contacts', 'import', file, '--match', 'email', '--yes', '-o', 'json']
      let printed = ''
      do {
        ofRun = 0
        printed = ''
        child = spawn(process.execPath, [CRM, ...args], { env: own, stdio: ['ignore', 'pipe', 'ignore'] })
        child.stdout?.on('data', (chunk) => {
          printed += chunk
        })
        await once(child, 'close')
        if (child.signalCode === 'SIGKILL') kills += 1
      } while (child.signalCode === 'SIGKILL')
      child = undefined
      expect(kills).toBe(KILLS)
      const emails = (await state()).map(({ email }: { readonly email: string }) => email)
      expect([emails.length, new Set(emails).size]).toEqual([SEEDS + ROWS, SEEDS + ROWS])
      const changing = [
        'contacts',
        'update',
        '--where',
        '.email | startswith("contact1")',
        '--set',
        'name=Changed',
        '--yes',
      ]
      const jobs: [string, number][] = [[JSON.parse(printed).job, ROWS]]
      const lines: [string[], number][] = [
        [changing, CHANGED],
        [['contacts', 'delete', '--where', '.email == "contact3@families.test"', '--yes'], 1],
      ]
      for (const [line, count] of lines) {
        const { job } = JSON.parse(await crmPrints([...line, '--expect', `${count}`, '-o', 'json'], own))
        jobs.push([job, count])
      }
      for (const [job, count] of jobs.toReversed()) {
        const undone = await crm(['jobs', 'undo', job, '--yes', '--expect', `${count}`], own)
        expect(undone, undone.stderr).toMatchObject({ exit: 0 })
      }
      expect(withoutServersOwn(await state())).toEqual(withoutServersOwn(before))
    },
    600_000,
  )
}

/** A restored record has another id, and its times. */
function withoutServersOwn(records: readonly Record<string, unknown>[]): readonly string[] {
  const isOwn = (name: string, value: unknown) => /(?:^|_)id$|_at$|url|At$/i.test(name) || value === null
  return records
    .map((record) =>
      JSON.stringify(
        Object.entries(record)
          .filter(([name, value]) => !isOwn(name, value))
          .toSorted(),
      ),
    )
    .toSorted()
}
