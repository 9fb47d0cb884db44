import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { crmPrints } from '../../harness/crm.ts'
import { emptyHome, tempFolder } from '../../harness/home.ts'
import { type Claimed, claimAll, claimDeals } from '../claims.ts'
import { startProxy } from './proxy.ts'
import {
  type DjangoOptions,
  HAS_DJANGO,
  HAS_ODATA,
  type Seed,
  type StartServer,
  startDjango,
  startJsonApi,
  startJsonServer,
  startOData,
} from './start.ts'

/** The key of django/server.py; the others read none. */
const KEY = 'family-key-1'

interface Family {
  /** A shipped connector, or the path of a file. */
  readonly connector: () => string
  readonly start: StartServer
  /** The number of contacts in the answer to this path, whole. */
  readonly all: string
  readonly countIn: (json: unknown) => number
  readonly keyless?: string
}

function claimedOf({ connector, start, all, countIn, keyless }: Family): Claimed {
  return {
    ...(keyless !== undefined && { keyless }),
    reach: async (records) => {
      const address = await start(seeds(records))
      const { url, effects } = await startProxy(new URL(address).origin)
      const base = url + new URL(address).pathname.replace(/\/$/, '')
      const headers = { Authorization: `Token ${KEY}`, Accept: 'application/json, application/vnd.api+json' }
      return {
        env: emptyHome({ CRM_CONNECTOR: connector(), CRM_BASE_URL: base, CRM_API_KEY: KEY }),
        count: async () => {
          const answer = await fetch(base + all, { headers })
          if (!answer.ok) throw new Error(`${all} answered ${answer.status}: ${await answer.text()}`)
          return countIn(await answer.json())
        },
        effects,
      }
    },
  }
}

function claimFamily(family: Family): void {
  const claimed = claimedOf(family)
  claimAll(claimed)
  claimDeals(claimed)
}

function seeds(count: number): readonly Seed[] {
  return Array.from({ length: count }, (_, n) => ({ name: `Contact ${n}`, email: `contact${n}@families.test` }))
}

const shipped = (name: string) => () => name

const isList = (json: unknown) => (json as readonly unknown[]).length

const JSON_SERVER: Family = {
  connector: shipped('json-server'),
  start: startJsonServer('json-server/lib/bin.js'),
  all: '/contacts',
  countIn: isList,
  keyless: 'json-server reads no credentials',
}

describe('json-server 1.x', () => {
  test('a list from a cursor ends at the last page, which the server repeats behind it', async () => {
    const { env } = await claimedOf(JSON_SERVER).reach(3000)
    const ids = await crmPrints(['contacts', 'list', '--cursor', '3', '-o', 'id'], env)
    expect(new Set(ids.trim().split('\n')).size).toBe(1000)
  })

  claimFamily(JSON_SERVER)
})

describe('json-server 0.17', () => {
  claimFamily({
    connector: shipped('json-server-0'),
    start: startJsonServer('json-server-0/lib/cli/bin.js'),
    all: '/contacts',
    countIn: isList,
    keyless: 'json-server reads no credentials',
  })
})

/** A connector of the user, as its page shows it. */
const ownConnector = (yaml: string) => () => {
  const file = join(tempFolder(), 'own.yaml')
  writeFileSync(file, yaml)
  return file
}

const WITHOUT_SLASH = ownConnector(`connector: 1
name: bare
extends: django-rest
resources:
  contacts: { path: /contacts, get: { path: '/{id}' }, update: { path: '/{id}' }, delete: { path: '/{id}' } }
  deals: { path: /deals }
  notes: { path: /notes }
`)

const DJANGO: readonly (DjangoOptions & { readonly end: string })[] = [
  { paging: 'page', slash: true, end: 'with a slash at the end' },
  { paging: 'limit', slash: false, end: 'without a slash at the end' },
  { paging: 'cursor', slash: true, end: 'with a slash at the end' },
]

describe.skipIf(!HAS_DJANGO).each(DJANGO)(
  'Django REST framework by $paging, $end (skipped without python3-djangorestframework)',
  (options) => {
    claimFamily({
      connector: options.slash ? shipped('django-rest') : WITHOUT_SLASH,
      start: startDjango(options),
      all: '/count',
      countIn: (json) => (json as { contacts: number }).contacts,
    })
  },
)

describe.skipIf(!HAS_ODATA)('OData of SAP CAP (skipped without CRM_ODATA_MODULES)', () => {
  claimFamily({
    connector: shipped('odata'),
    start: startOData,
    all: '/Contacts?$count=true&$top=1',
    countIn: (json) => (json as { '@odata.count': number })['@odata.count'],
    keyless: 'CAP without a configuration of users reads no credentials',
  })
})

describe('JSON:API of Fortune.js', () => {
  claimFamily({
    connector: shipped('jsonapi'),
    start: startJsonApi,
    all: '/contacts',
    countIn: (json) => (json as { meta: { count: number } }).meta.count,
    keyless: 'Fortune.js reads no credentials',
  })
})

describe.skip('PostgREST (skipped because its npm package downloads a binary, and Debian has none)', () => {
  claimAll({ reach: () => Promise.reject(new Error('PostgREST is not here')) })
})
