import { onTestFinished } from 'vitest'
import { crmPrints } from '../harness/crm.ts'
import { type CleanUp, type Env, emptyHome } from '../harness/home.ts'
import type { Absences, Claimed, DealFields } from './claims.ts'
import { startAttio } from './emulators/attio.ts'
import { startClose } from './emulators/close.ts'
import type { Emulator, EmulatorOptions, Row } from './emulators/emulator.ts'
import { startHubSpot } from './emulators/hubspot.ts'
import { startOnePageCrm } from './emulators/onepagecrm.ts'
import { startPipedrive } from './emulators/pipedrive.ts'
import { startSalesforce } from './emulators/salesforce.ts'
import { startZoho } from './emulators/zoho.ts'
import type { Imported } from './kill-claim.ts'

/** A server that crm reaches through a shipped connector. */
export interface ConnectedServer {
  readonly env: Env
  readonly emulator: Emulator<string>
  /** Its own records of contacts, without deleted ones. */
  contacts(): readonly Record<string, unknown>[]
}

interface Server {
  readonly connector: string
  readonly start: (options: EmulatorOptions) => Promise<Emulator<string>>
  /** The path of its API. */
  readonly base: string
  variables(emulator: Emulator<string>): string
  readonly contacts: string
  readonly absences: Absences
  dealFields(server: ConnectedServer): DealFields | Promise<DealFields>
  /** What an import that is killed has, where rows travel together. */
  readonly imported?: Imported
}

const NO_REFUSAL_IN_2XX = 'no answer of this vendor refuses a request in a 2xx'

/** A stage whose name other pipelines have too needs its pipeline. */
async function firstPipeline({ env }: ConnectedServer): Promise<string> {
  const [pipeline] = JSON.parse(await crmPrints(['pipelines', 'list', '-o', 'json'], env))
  return `pipeline_id=${pipeline.id}`
}

/** The emulators of vendors; the real servers of families are in families/. */
export const SERVERS: readonly Server[] = [
  {
    connector: 'pipedrive',
    start: startPipedrive as Server['start'],
    base: '/api/v2',
    variables: () => 'company=acme',
    contacts: 'persons',
    absences: {},
    dealFields: async (server) => ({ stages: ['New', 'Offer'], others: [await firstPipeline(server)] }),
  },
  {
    connector: 'hubspot',
    start: startHubSpot as Server['start'],
    base: '/crm/v3',
    variables: () => '',
    contacts: 'contacts',
    imported: { rows: 16_000, perRequest: 100 },
    absences: { refusalIn2xx: NO_REFUSAL_IN_2XX },
    dealFields: async (server) => ({ stages: ['Stage 1', 'Closed won'], others: [await firstPipeline(server)] }),
  },
  {
    connector: 'attio',
    start: startAttio as Server['start'],
    base: '/v2',
    variables: () => '',
    contacts: 'people',
    absences: { refusalIn2xx: NO_REFUSAL_IN_2XX },
    dealFields: ({ emulator }) => {
      const [owner] = emulator.records('members').map(({ id }) => (id as Row).workspace_member_id)
      return { stages: ['Lead', 'Lost'], others: [`owner_id=${owner}`] }
    },
  },
  {
    connector: 'onepagecrm',
    start: startOnePageCrm as Server['start'],
    base: '/api/v3',
    variables: ({ records }) => `user=${records('users')[0]?.id}`,
    contacts: 'contacts',
    absences: { refusalIn2xx: 'a status that is not 0 is no success, and no refusal either' },
    dealFields: async (server) => {
      const { id } = JSON.parse(await crmPrints(['contacts', 'create', '--set', 'name=Ada', '-o', 'json'], server.env))
      return { stages: ['Prospect', 'Proposal'], others: [`contact_id=${id}`, await firstPipeline(server)] }
    },
  },
  {
    connector: 'close',
    start: startClose as Server['start'],
    base: '/api/v1',
    variables: () => '',
    contacts: 'contacts',
    absences: { refusalIn2xx: NO_REFUSAL_IN_2XX },
    dealFields: async (server) => ({ stages: ['Active', 'Won'], others: [await firstPipeline(server)] }),
  },
  {
    connector: 'salesforce',
    start: startSalesforce,
    base: '/services/data/v62.0',
    variables: () => 'domain=acme',
    contacts: 'Contact',
    imported: { rows: 16_000, perRequest: 200 },
    absences: { refusalIn2xx: 'a request is refused by its status; what a 2xx refuses are single rows' },
    dealFields: () => ({ stages: ['Prospecting', 'Closed Won'], others: ['close_date=2026-12-31'] }),
  },
  {
    connector: 'zoho',
    start: startZoho,
    base: '/crm/v8',
    variables: () => 'dc=com',
    contacts: 'Contacts',
    imported: { rows: 16_000, perRequest: 100 },
    absences: { refusalIn2xx: 'a 2xx has an outcome for each row, and refuses single ones' },
    dealFields: () => ({ stages: ['Qualification', 'Closed Won'] }),
  },
]

export async function connected(
  server: Server,
  options: EmulatorOptions = {},
  cleanUp: CleanUp = onTestFinished,
): Promise<ConnectedServer> {
  const emulator = await server.start(options)
  cleanUp(() => emulator.close())
  return {
    emulator,
    contacts: () => emulator.records(server.contacts),
    env: emptyHome(
      {
        CRM_CONNECTOR: server.connector,
        CRM_CONNECTOR_VARS: server.variables(emulator),
        CRM_BASE_URL: emulator.url + server.base,
        CRM_API_KEY: emulator.key,
      },
      cleanUp,
    ),
  }
}

export function reaching(server: Server): Claimed {
  return {
    absences: server.absences,
    reach: async (records, { rate, loses, cleanUp } = {}) => {
      const faults: EmulatorOptions['faults'] = (call) => (loses?.(call) ? 'lose-answer' : undefined)
      const there = await connected(server, { records, faults, ...(rate && { rate }) }, cleanUp)
      const { env, contacts, emulator } = there
      return {
        env,
        contacts,
        effects: (type) => emulator.effects(server.contacts, type),
        dealFields: () => server.dealFields(there),
      }
    },
  }
}
