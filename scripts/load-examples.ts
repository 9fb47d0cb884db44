import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { crmOrThrow, ROOT } from './crm-process.ts'

interface Example {
  readonly line: string
  /** The same on every start, so that a second load creates nothing. */
  readonly idempotencyKey: string
}

/** Loads the folder `examples` with the CLI, as a shell loop would. */
export async function loadExamples(
  env: NodeJS.ProcessEnv,
): Promise<{ contacts: number; deals: number; notes: number }> {
  const contacts = readExamples('contacts')
  await inParallel(contacts, ({ line, idempotencyKey }) =>
    crmOrThrow(['contacts', 'create', '--data', '-', '-o', 'id', '--idempotency-key', idempotencyKey], {
      env,
      input: line,
    }),
  )
  const deals = readExamples('deals')
  const dealIds = new Map<unknown, string>()
  await inParallel(deals, async ({ line, idempotencyKey }) => {
    const args = ['deals', 'create', '--data', '-', '-o', 'id', '--idempotency-key', idempotencyKey]
    dealIds.set(JSON.parse(line).name, (await crmOrThrow(args, { env, input: line })).trim())
  })
  const notes = readExamples('notes')
  await inParallel(notes, ({ line, idempotencyKey }) => {
    const { deal, ...note } = JSON.parse(line)
    const args = ['notes', 'add', dealIds.get(deal) ?? '', '--data', '-', '--idempotency-key', idempotencyKey]
    return crmOrThrow(args, { env, input: JSON.stringify(note) })
  })
  return { contacts: contacts.length, deals: deals.length, notes: notes.length }
}

function readExamples(name: string): Example[] {
  const lines = readFileSync(join(ROOT, 'examples', `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
  return lines.map((line, index) => ({ line, idempotencyKey: `example-${name}-${index}` }))
}

/** Runs a process per item, four at a time, which keeps two cores busy. */
async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const rest = items.values()
  const worker = async () => {
    for (const item of rest) await work(item)
  }
  await Promise.all([worker(), worker(), worker(), worker()])
}
