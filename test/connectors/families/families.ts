import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type CleanUp, emptyHome, tempFolder } from '../../harness/home.ts'
import type { Claimed } from '../claims.ts'
import { startProxy } from './proxy.ts'
import {
  HAS_DJANGO,
  HAS_ODATA,
  HAS_ODATA_SERVER,
  HAS_PARSE,
  type Seed,
  type StartServer,
  startDjango,
  startJsonApi,
  startJsonServer,
  startOData,
  startODataServer,
  startParse,
} from './start.ts'

/** The key of django/server.py; the others read none. */
const KEY = 'family-key-1'

interface Server {
  /** A shipped connector, or the path of a file. */
  readonly connector: (cleanUp: CleanUp) => string
  readonly start: StartServer
  /** Where its contacts are. */
  readonly all: string
  readonly absences: Claimed['absences']
}

export interface Family {
  readonly title: string
  /** Whether its server is installed here. */
  readonly isHere: boolean
  readonly claimed: Claimed
}

function claimedOf({ connector, start, all, absences }: Server): Claimed {
  return {
    absences: { refusalIn2xx: 'the server states every refusal by its status', ...absences },
    reach: async (records, { cleanUp = onTestFinished, ...disturbance } = {}) => {
      const address = await start(seeds(records), cleanUp)
      const { origin, pathname } = new URL(address)
      const { url, effects } = await startProxy(origin, { ...disturbance, cleanUp })
      const path = pathname.replace(/\/$/, '')
      const variables = {
        ...{ CRM_CONNECTOR: connector(cleanUp), CRM_CONNECTOR_VARS: `app=${KEY}` },
        ...{ CRM_BASE_URL: url + path, CRM_API_KEY: KEY },
      }
      return {
        env: emptyHome(variables, cleanUp),
        contacts: () => everyPage(origin + path + all),
        effects,
      }
    },
  }
}

function seeds(count: number): readonly Seed[] {
  return Array.from({ length: count }, (_, n) => ({ name: `Contact ${n}`, email: `contact${n}@families.test` }))
}

async function answerOf(url: string): Promise<unknown> {
  const accepted = 'application/json, application/vnd.api+json'
  const headers = { Authorization: `Token ${KEY}`, 'X-Parse-Application-Id': KEY, Accept: accepted }
  const answer = await fetch(url, { headers })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}

interface LinkedPage {
  readonly results?: readonly unknown[]
  readonly data?: readonly unknown[]
  readonly value?: readonly unknown[]
  readonly next?: string | null
  readonly links?: { readonly next?: string | null }
  readonly '@odata.nextLink'?: string
}

/** The records of a list, or of pages that link to the next. */
async function everyPage(first: string): Promise<readonly unknown[]> {
  const records: unknown[] = []
  let url: string | undefined = first
  while (url !== undefined) {
    const json = await answerOf(url)
    if (Array.isArray(json)) return json
    const { results, data, value, next, links, '@odata.nextLink': nextLink } = json as LinkedPage
    records.push(...(results ?? data ?? value ?? []))
    const following = next ?? links?.next ?? nextLink
    url = following ? new URL(following, first).href : undefined
  }
  return records
}

const shipped = (name: string) => () => name

/** A connector of the user, as its page shows it. */
const ownConnector = (yaml: string) => (cleanUp: CleanUp) => {
  const file = join(tempFolder(cleanUp), 'own.yaml')
  writeFileSync(file, yaml)
  return file
}

const WITHOUT_SLASH = ownConnector(`connector: 2
name: bare
extends: django-rest
verbs: { get: { path: '{object}/{id}' }, update: { path: '{object}/{id}' }, delete: { path: '{object}/{id}' } }
objects:
  contacts: { path: /contacts }
  deals: { path: /deals }
  notes: { path: /notes }
`)

const jsonServer = (connector: string, bin: string) =>
  claimedOf({
    connector: shipped(connector),
    start: startJsonServer(bin),
    all: '/contacts',
    absences: { wrongKey: 'json-server reads no credentials' },
  })

export const JSON_SERVER = jsonServer('json-server', 'json-server/lib/bin.js')

const django = (paging: 'page' | 'limit' | 'cursor', slash: boolean): Family => ({
  title: `Django REST framework by ${paging}, with${slash ? '' : 'out'} a slash at the end (skipped without python3-djangorestframework)`,
  isHere: HAS_DJANGO,
  claimed: claimedOf({
    connector: slash ? shipped('django-rest') : WITHOUT_SLASH,
    start: startDjango({ paging, slash }),
    all: slash ? '/contacts/' : '/contacts',
    absences: {},
  }),
})

export const ODATA_SERVER = claimedOf({
  connector: shipped('odata'),
  start: startODataServer,
  all: '/Contacts',
  absences: { wrongKey: 'odata-v4-server reads no credentials' },
})

export const FAMILIES: readonly Family[] = [
  { title: 'json-server 1.x', isHere: true, claimed: JSON_SERVER },
  { title: 'json-server 0.17', isHere: true, claimed: jsonServer('json-server-0', 'json-server-0/lib/cli/bin.js') },
  django('page', true),
  django('limit', false),
  django('cursor', true),
  {
    title: 'OData of odata-v4-server (skipped without npm ci in tools/judges)',
    isHere: HAS_ODATA_SERVER,
    claimed: ODATA_SERVER,
  },
  {
    title: 'OData of SAP CAP (skipped without npm ci in tools/judges)',
    isHere: HAS_ODATA,
    claimed: claimedOf({
      connector: shipped('odata'),
      start: startOData,
      all: '/Contacts',
      absences: { wrongKey: 'CAP without a configuration of users reads no credentials' },
    }),
  },
  {
    title: 'Parse Server (skipped without npm ci in tools/judges, and PostgreSQL)',
    isHere: HAS_PARSE,
    claimed: claimedOf({
      connector: shipped('parse'),
      start: startParse,
      all: '/classes/Contact?limit=10000',
      absences: { wrongKey: 'Parse Server takes a request with a wrong master key for one of anybody' },
    }),
  },
  {
    title: 'JSON:API of Fortune.js',
    isHere: true,
    claimed: claimedOf({
      connector: shipped('jsonapi'),
      start: startJsonApi,
      all: '/contacts',
      absences: { wrongKey: 'Fortune.js reads no credentials' },
    }),
  },
  {
    title: 'PostgREST (skipped because its npm package downloads a binary, and Debian has none)',
    isHere: false,
    claimed: { absences: {}, reach: () => Promise.reject(new Error('PostgREST is not here')) },
  },
]
