import { onTestFinished } from 'vitest'
import { type Env, emptyHome } from '../harness/home.ts'
import type { Claimed } from './claims.ts'
import { startAttio } from './emulators/attio.ts'
import { startClose } from './emulators/close.ts'
import type { Emulator, EmulatorOptions } from './emulators/emulator.ts'
import { startHubSpot } from './emulators/hubspot.ts'
import { startOnePageCrm } from './emulators/onepagecrm.ts'
import { startPipedrive } from './emulators/pipedrive.ts'

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
  /** Whether its bodies say that they are a refusal, whatever the status. */
  readonly refusesIn200?: true
}

/** The emulators of vendors; the real servers of families are in families/. */
export const SERVERS: readonly Server[] = [
  {
    connector: 'pipedrive',
    start: startPipedrive as Server['start'],
    base: '/api/v2',
    variables: () => 'company=acme',
    contacts: 'persons',
    refusesIn200: true,
  },
  {
    connector: 'hubspot',
    start: startHubSpot as Server['start'],
    base: '/crm/v3',
    variables: () => '',
    contacts: 'contacts',
  },
  { connector: 'attio', start: startAttio as Server['start'], base: '/v2', variables: () => '', contacts: 'people' },
  {
    connector: 'onepagecrm',
    start: startOnePageCrm as Server['start'],
    base: '/api/v3',
    variables: ({ records }) => `user=${records('users')[0]?.id}`,
    contacts: 'contacts',
    refusesIn200: true,
  },
  {
    connector: 'close',
    start: startClose as Server['start'],
    base: '/api/v1',
    variables: () => '',
    contacts: 'contacts',
  },
]

export async function connected(server: Server, options: EmulatorOptions = {}): Promise<ConnectedServer> {
  const emulator = await server.start(options)
  onTestFinished(() => emulator.close())
  return {
    emulator,
    contacts: () => emulator.records(server.contacts),
    env: emptyHome({
      CRM_CONNECTOR: server.connector,
      CRM_CONNECTOR_VARS: server.variables(emulator),
      CRM_BASE_URL: emulator.url + server.base,
      CRM_API_KEY: emulator.key,
    }),
  }
}

export function reaching(server: Server): Claimed {
  return {
    reach: async (records) => {
      const { env, contacts, emulator } = await connected(server, { records })
      return { env, count: () => contacts().length, effects: (type) => emulator.effects(server.contacts, type) }
    },
  }
}
