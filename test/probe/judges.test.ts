import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  HAS_DJANGO,
  HAS_ODATA,
  HAS_ODATA_SERVER,
  HAS_PARSE,
  type StartServer,
  startDjango,
  startJsonServer,
  startOData,
  startODataServer,
  startParse,
} from '../connectors/families/start.ts'
import { crm } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { typed } from './probe-server.ts'

const KEY = 'family-key-1'

/** No usual size of a page. */
const COUNT = 137

const SEEDS = Array.from({ length: COUNT }, (_, n) => ({ name: `Contact ${n}`, email: `contact${n}@families.test` }))

interface Judge {
  readonly title: string
  readonly isHere: boolean
  readonly start: StartServer
  /** Beside that for the key, and how contacts are changed. */
  readonly asked: Readonly<Record<string, string>>
}

const TOKEN = { 'How is the key sent': 'header:Authorization:Token' }

const django = (paging: 'page' | 'limit' | 'cursor', slash: boolean): Judge => ({
  title: `Django REST framework by ${paging} (skipped without python3-djangorestframework)`,
  isHere: HAS_DJANGO,
  start: startDjango({ paging, slash }),
  asked: TOKEN,
})

const JUDGES: readonly Judge[] = [
  { title: 'json-server 1.x', isHere: true, start: startJsonServer('json-server/lib/bin.js'), asked: {} },
  { title: 'json-server 0.17', isHere: true, start: startJsonServer('json-server-0/lib/cli/bin.js'), asked: {} },
  django('page', true),
  django('limit', false),
  django('cursor', true),
  {
    title: 'odata-v4-server (skipped without npm ci in tools/judges)',
    isHere: HAS_ODATA_SERVER,
    start: startODataServer,
    asked: { 'Which path lists the contacts': '/Contacts' },
  },
  {
    title: 'SAP CAP (skipped without npm ci in tools/judges)',
    isHere: HAS_ODATA,
    start: startOData,
    asked: { 'Which path lists the contacts': '/Contacts' },
  },
  {
    title: 'Parse Server (skipped without npm ci in tools/judges, and PostgreSQL)',
    isHere: HAS_PARSE,
    start: startParse,
    asked: {
      'How is the key sent': 'header:X-Parse-Application-Id',
      'Which path lists the contacts': '/classes/Contact',
    },
  },
]

for (const { title, isHere, start, asked } of JUDGES) {
  test.skipIf(!isHere)(`from its address to a whole list: ${title}`, async ({ task }) => {
    const address = await start(SEEDS)
    const begun = performance.now()
    const out = join(tempFolder(), 'drafted.yaml')
    const answers = { 'API key for': KEY, ...asked, 'How is a contact changed': 'none' }
    const { exit, stderr, questions } = await typed(['connectors', 'create', '--probe', address, '--out', out], answers)
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.stringContaining(`; ${COUNT} records;`) })
    const env = emptyHome({ CRM_CONNECTOR: out, CRM_BASE_URL: address, CRM_API_KEY: KEY })
    const listed = await crm(['contacts', 'list', '-o', 'json'], env)
    const seconds = (performance.now() - begun) / 1000
    Object.assign(task.meta, { seconds, questions: questions.length })
    const emails = JSON.parse(listed.stdout).map(({ email }: { readonly email: string }) => email)
    expect(emails.toSorted()).toEqual(SEEDS.map(({ email }) => email).toSorted())
    // The key, what only a person knows of this server, and how a contact is changed.
    expect(questions).toHaveLength(2 + Object.keys(asked).length)
    expect(seconds).toBeLessThan(60)
  })
}
