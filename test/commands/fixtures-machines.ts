import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerOptions } from '../../src/service/server.ts'
import { crm, crmPrints } from '../harness/crm.ts'
import { emptyHome, tempFolder } from '../harness/home.ts'
import { serveForTest } from '../service/serve-for-test.ts'

const DEMO = `version: 1
contacts:
  ann: { name: Ann, email: "ann-\${run.id}@x.test" }
  crowd: { $count: 5, name: "Crowd \${i}", email: "u\${i}-\${run.id}@x.test" }
deals:
  big: { $count: 4, name: Big, stage: Lead, amount: 10.5, owner_id: "\${contacts.ann.id}" }
notes:
  call: { $count: 4, deal: "\${deals.big[i].id}", body: Called }
`

export const RECORDS = 14

export type Row = Readonly<Record<string, string>>

/** A service, and machines that share nothing but it and the text of a file. */
export async function team(options: Partial<ServerOptions> = {}) {
  const service = await serveForTest(options)
  const machine = (url = service.url) => {
    const env = emptyHome({
      CRM_BASE_URL: url,
      CRM_API_KEY: service.key.text,
      CRM_CONFIG_HOME: tempFolder(),
      CRM_STATE_HOME: tempFolder(),
    })
    const file = join(env.HOME, 'demo.yaml')
    writeFileSync(file, DEMO)
    const line = (verb: string, run: string) => ['fixtures', verb, file, '--run-id', run, '-o', 'json']
    const rows = async (verb: string, run = 'pr-1'): Promise<Row[]> => JSON.parse(await crmPrints(line(verb, run), env))
    return { env, line, rows, run: (verb: string, run = 'pr-1') => crm(line(verb, run), env) }
  }
  const left = async () => {
    const counts = []
    for (const path of ['contacts', 'deals'])
      counts.push(((await service.send('GET', `/v1/${path}`)).json.data as Row[]).length)
    return counts
  }
  return { service, machine, left }
}

export const ends = (rows: readonly Row[], member: string) => [...new Set(rows.map((row) => row[member]))]

export const ids = (rows: readonly Row[]) => rows.map(({ record, id }) => `${record} ${id}`).toSorted()
