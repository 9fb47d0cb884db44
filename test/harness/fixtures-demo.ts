import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crmPrints } from './crm.ts'
import { type Env, tempFolder } from './home.ts'
import { startService } from './service.ts'

/** Records of every kind: `crowd` contacts, and as many deals and notes as `others`. */
export const demoText = (crowd: number, others: number) => `version: 1
seed: 1
contacts:
  ada: { $match: email, email: "ada+\${run.id}@example.test", name: Ada }
  crowd: { $count: ${crowd}, email: "u\${i}+\${run.id}@example.test", name: "\${fake.name}" }
deals:
  big: { name: "Big \${run.id}", stage: Won, amount: 1200.5 }
  small: { $count: ${others}, name: "Small", stage: Lead }
notes:
  call: { $count: ${others}, deal: "\${deals.small[i].id}", body: "About \${contacts.crowd[i].id}" }
env: { ADA_ID: "\${contacts.ada.id}", NOTE: "it's \${contacts.ada.name}" }
`

/** Of 7 contacts, 5 deals and 4 notes. */
export const DEMO = demoText(6, 4)

/** An unlimited service, a file, and a state home that is not that of another machine. */
export async function demo(text = DEMO) {
  const { env } = await startService(['--rate-limit', 'none'])
  const file = join(env.HOME, 'demo.yaml')
  writeFileSync(file, text)
  return { env, file }
}

export const anotherMachine = (env: Env): Env => ({ ...env, CRM_STATE_HOME: tempFolder() })

export async function applied(
  file: string,
  env: Env,
  ...flags: string[]
): Promise<Map<string, { id: string; action: string }>> {
  const rows = JSON.parse(await crmPrints(['fixtures', 'apply', file, '-o', 'json', ...flags], env))
  return new Map(rows.map((row: { record: string; id: string; action: string }) => [row.record, row]))
}

export async function counts(env: Env) {
  const count = async (noun: string) => JSON.parse(await crmPrints([noun, 'list', '-o', 'json'], env)).length
  return { contacts: await count('contacts'), deals: await count('deals') }
}
