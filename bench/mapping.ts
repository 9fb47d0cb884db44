import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { benchFolder, type Cpu, CRM, cpuOfCommands, plainEnv, startCrm } from './processes.ts'
import { fillContacts } from './seed.ts'
import type { Row } from './table.ts'

/** Four fields that stand at other names. */
const RENAMED = `connector: 2
name: renamed
extends: crm
objects: { contacts: { fields: { name: company, company: name, email: phone, phone: email } } }
`

/** Processor time of a whole list by a connector with renamed fields, beside that of crm; CRM_BEFORE as for start-up. */
export async function measureMapping(count: number): Promise<Row[]> {
  const folder = benchFolder()
  const [database, file] = [join(folder, 'contacts.db'), join(folder, 'renamed.yaml')]
  await fillContacts(database, count)
  writeFileSync(file, RENAMED)
  const server = await startCrm(database)
  const env = { ...plainEnv(), HOME: folder, CRM_BASE_URL: server.url, CRM_API_KEY: server.key }
  const { CRM_BEFORE: before } = process.env
  const list = ['contacts', 'list', '-o', 'jsonl']
  const own = [process.execPath, CRM, ...list]
  const commands = {
    own,
    renamed: ['env', `CRM_CONNECTOR=${file}`, ...own],
    ...(before !== undefined && { before: [process.execPath, before, ...list] }),
  }
  cpuOfCommands(commands, 1, env)
  const { own: crm, renamed, before: earlier } = cpuOfCommands(commands, 5, env)
  await server.stop()
  const name = `list of ${count.toLocaleString('en')} contacts`
  const peer = `by crm: ${crm?.ms.toFixed(0)} ms`
  const row = (what: string, { ms, ratio }: Cpu, goal: Row['goal']): Row => ({
    what: `${name}, ${what}`,
    measured: `${ms.toFixed(0)} ms CPU`,
    peer,
    ratio,
    goal,
  })
  return [
    ...(renamed ? [row('four fields renamed', renamed, { atMost: 1.3 })] : []),
    ...(earlier ? [row('the tree before', earlier, undefined)] : []),
  ]
}
