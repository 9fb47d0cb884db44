import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { crmOrThrow } from '../crm-process.ts'

const FIRST =
  'Ada Grace Alan Edsger Barbara Donald Margaret Ken Dennis Katherine Radia Tim Linus Frances Hedy Leslie'.split(' ')
const LAST =
  'Lovelace Hopper Turing Dijkstra Liskov Knuth Hamilton Thompson Ritchie Johnson Perlman Allen Lamarr'.split(' ')
const COMPANIES = ['Acme GmbH', 'Analytical Engines', 'Navy Systems', 'Bletchley Ltd', 'Orbit AG', 'Kranich & Söhne']
const STAGES = ['Lead', 'Lead', 'Qualified', 'Qualified', 'Proposal', 'Negotiation', 'Won', 'Lost']
const WORK = ['renewal', 'licences', 'support', 'migration', 'audit']

function at<Value>(values: readonly Value[], index: number): Value {
  return values[index % values.length] as Value
}

export async function subscribe(url: string, folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const options = { env: { ...env, CRM_PROFILE: 'local' }, cwd: folder }
  await crmOrThrow(['webhooks', 'create', '--url', url, '--events', 'deal.created'], options)
}

/** Waits until each delivery that the screen shows has had an attempt. */
export async function tried(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const options = { env: { ...env, CRM_PROFILE: 'local' }, cwd: folder }
  while (true) {
    const shown = JSON.parse(await crmOrThrow(['webhooks', 'deliveries', '-o', 'json'], options)) as {
      attempts: number
    }[]
    if (shown.every(({ attempts }) => attempts > 0)) return
    await delay(1_000)
  }
}

/** 400 contacts and 120 deals, the same in each run, by two jobs. */
export async function loadDemo(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const contacts = Array.from({ length: 400 }, (_, n) => {
    const [first, last] = [at(FIRST, n * 7 + (n >> 3)), at(LAST, n * 5 + (n >> 2))]
    const email = `${first}.${last}${n}@${n % 3 ? 'example.com' : 'mail.example.org'}`.toLowerCase()
    return `${first} ${last},${email},+49 30 ${100_000 + n * 37},${at(COMPANIES, n * 11)}`
  })
  const deals = Array.from({ length: 120 }, (_, n) => {
    const amount = (900 + ((n * 7_919) % 88_000) + n / 4).toFixed(2)
    return `${at(COMPANIES, n * 5)}: ${at(WORK, n * 3)} ${n},${at(STAGES, n * 3 + (n >> 4))},${amount},EUR,sales`
  })
  await load('contacts', 'name,email,phone,company', contacts)
  await load('deals', 'name,stage,amount,currency,pipeline_id', deals)
  async function load(noun: string, head: string, rows: readonly string[]): Promise<void> {
    const file = `${noun}-${rows.length}.csv`
    writeFileSync(join(folder, file), [head, ...rows, ''].join('\n'))
    const options = { env: { ...env, CRM_PROFILE: 'local' }, cwd: folder }
    await crmOrThrow([noun, 'import', file, '--yes'], options)
  }
}
