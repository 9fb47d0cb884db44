import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import type { CleanUp, Env } from '../harness/home.ts'
import type { EffectType, Rate } from './emulators/emulator.ts'

/** A server that crm reaches through a connector. */
export interface Reached {
  readonly env: Env
  /** Its own records of contacts, asked for without crm. */
  contacts(): readonly unknown[] | Promise<readonly unknown[]>
  /** How many writes of contacts took effect. */
  effects(type: EffectType): number
  /** What deals need, where it is not a stage alone. */
  dealFields?(): DealFields | Promise<DealFields>
}

export interface Asked {
  readonly method: string
  readonly path: string
}

/** What befalls requests on their way. */
export interface Disturbance {
  readonly rate?: Rate
  /** Whether the answer to a request, which is carried out, gets lost. */
  readonly loses?: (asked: Asked) => boolean
  /** Of the test, unless it is given: tests that run at once need their own. */
  readonly cleanUp?: CleanUp
}

/** Why a server cannot be asked for what a claim is about. */
export interface Absences {
  readonly wrongKey?: string
  readonly refusalIn2xx?: string
}

/** What a deal is made of, apart from its name and amount. */
export interface DealFields {
  readonly stages: readonly [string, string]
  /** Members that the server requires. */
  readonly others?: readonly string[]
}

export interface Claimed {
  /** With so many contacts. */
  reach(records: number, disturbance?: Disturbance): Promise<Reached>
  readonly absences: Absences
}

declare module 'vitest' {
  interface TaskMeta {
    /** Why the claim has no meaning for the server. */
    absence?: string
    /** What the result does not say by itself. */
    remark?: string
  }
}

/** The table of docs/connectors says so, with the reason. */
export function skipAbsent({ task, skip }: TestContext, reason: string | undefined): void {
  if (reason === undefined) return
  task.meta.absence = reason
  skip(reason)
}

const FIELDS = ['--set', 'name=Ada Lovelace', '--set', 'email=ada@engines.test'] as const

/** A claim that each kind of server proves in its own way, if it has such answers. */
export const REFUSAL_IN_2XX = 'a refusal in a 2xx is one, for a command and for each row'

/** 500 rows, of which the records of the server have the first `known`. */
export function personRows(emails: readonly string[], count = 500): string {
  const lines = Array.from({ length: count }, (_, n) => `Person ${n},${emails[n] ?? `new${n}@import.test`}`)
  return `name,email\n${lines.join('\n')}\n`
}

/** The part of the suite that is quick. */
export function claimSingles({ reach }: Claimed): void {
  test('a contact is created, read, changed and deleted', async () => {
    const { env, contacts } = await reach(0)
    const created = JSON.parse(await crmPrints(['contacts', 'create', ...FIELDS, '-o', 'json'], env))
    expect(created).toMatchObject({ id: expect.any(String), name: 'Ada Lovelace', email: 'ada@engines.test' })
    const { id } = created
    expect(JSON.parse(await crmPrints(['contacts', 'get', '-o', 'json', '--', id], env))).toEqual(created)
    const changed = JSON.parse(
      await crmPrints(['contacts', 'update', '--set', 'name=Ada King', '-o', 'json', '--', id], env),
    )
    expect(changed).toMatchObject({ id, name: 'Ada King', email: 'ada@engines.test' })
    await crmPrints(['contacts', 'delete', '--yes', '--', id], env)
    expect(await contacts()).toHaveLength(0)
    expect((await crm(['contacts', 'get', '--', id], env)).exit).toBe(6)
  })
}

/** What holds for every server that can list, get, create, update and delete. */
export function claimAll(claimed: Claimed): void {
  const { reach, absences } = claimed
  test('a list of 3,000 is complete', async () => {
    const { env, contacts } = await reach(3000)
    const ids = (await crmPrints(['contacts', 'list', '-o', 'id'], env)).trim().split('\n')
    expect(new Set(ids).size).toBe(3000)
    expect(await contacts()).toHaveLength(3000)
  })

  claimSingles(claimed)
  claimImports(claimed)
  claimLimit(claimed)
  claimDeals(claimed)

  test('a wrong key is refused with the exit code of a key', async (context) => {
    skipAbsent(context, absences.wrongKey)
    const { env } = await reach(0)
    const { exit, stderr } = await crm(['contacts', 'list'], { ...env, CRM_API_KEY: 'wrong_key_of_nobody' })
    expect(exit, stderr).toBe(4)
  })
}

function claimImports({ reach }: Claimed): void {
  test('an import with --match changes the contacts that are there, creates the others, and is undone', async () => {
    const { env, contacts, effects } = await reach(300)
    const before = JSON.parse(await crmPrints(['contacts', 'list', '-o', 'json'], env))
    const emails = before.slice(0, 200).map(({ email }: { email: string }) => email)
    const file = join(env.HOME ?? '', 'people.csv')
    writeFileSync(file, personRows(emails))
    const importing = ['contacts', 'import', file, '--match', 'email', '--yes']
    const { job } = JSON.parse(await crmPrints([...importing, '-o', 'json'], env))
    expect(await contacts()).toHaveLength(600)
    const after = JSON.parse(await crmPrints(['contacts', 'list', '-o', 'json'], env))
    const byEmail = new Map(after.map((record: { email: string }) => [record.email, record]))
    expect(byEmail.get(emails[7])).toMatchObject({ name: 'Person 7' })
    expect(effects('created')).toBe(300)
    await crmPrints(importing, env)
    expect(effects('created')).toBe(300)
    await crmPrints(['jobs', 'undo', job, '--yes', '--expect', '300'], env)
    const undone = JSON.parse(await crmPrints(['contacts', 'list', '-o', 'json'], env))
    expect(sorted(undone)).toEqual(sorted(before))
  })

  test('an export that is imported again changes nothing', async () => {
    const { env, effects } = await reach(120)
    const file = join(env.HOME ?? '', 'all.jsonl')
    await crmPrints(['contacts', 'export', file], env)
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(120)
    await crmPrints(['contacts', 'import', file, '--match', 'id', '--yes'], env)
    expect(effects('updated') + effects('created')).toBe(0)
  })
}

function claimLimit({ reach }: Claimed): void {
  test('a job waits for the rate limit, and every row is done once', async () => {
    const { env, contacts, effects } = await reach(0, { rate: { requests: 40, perMs: 1000 } })
    const file = join(env.HOME ?? '', 'people.csv')
    writeFileSync(file, personRows([], 100))
    const { done } = JSON.parse(await crmPrints(['contacts', 'import', file, '--yes', '-o', 'json'], env))
    expect([done, (await contacts()).length, effects('created')]).toEqual([100, 100, 100])
  })
}

const DEAL_FIELDS: DealFields = { stages: ['Lead', 'Won'] }

function claimDeals({ reach }: Claimed): void {
  const setUp = async () => {
    const { env, dealFields } = await reach(0)
    const { stages, others = [] } = (await dealFields?.()) ?? DEAL_FIELDS
    const json = async (args: readonly string[]) => JSON.parse(await crmPrints(args, env))
    const [first, second] = stages
    const set = [`stage=${first}`, 'amount:=12.5', ...others].flatMap((field) => ['--set', field])
    const create = async (name: string): Promise<string> =>
      (await json(['deals', 'create', '--set', `name=${name}`, ...set, '-o', 'json'])).id
    return { json, first, second, ids: [await create('One'), await create('Other')] as const }
  }

  test('deals are created, read, changed, listed and deleted', async () => {
    const { json, first, second, ids } = await setUp()
    const [id, other] = ids
    // Some servers have ids that begin with a hyphen.
    const one = ['-o', 'json', '--', id]
    expect(await json(['deals', 'get', ...one])).toMatchObject({ id, name: 'One', stage: first, amount: 12.5 })
    expect(await json(['deals', 'update', '--set', `stage=${second}`, ...one])).toMatchObject({
      stage: second,
      amount: 12.5,
    })
    const names = async () => {
      const listed = await json(['deals', 'list', '-o', 'json'])
      return listed.map(({ name }: { name: string }) => name).toSorted()
    }
    expect(await names()).toEqual(['One', 'Other'])
    await json(['deals', 'delete', '--yes', '-o', 'json', '--', other])
    expect(await names()).toEqual(['One'])
  })

  test('each deal has its own notes', async () => {
    const { json, ids } = await setUp()
    const [one, other] = ids.map((id) => ['-o', 'json', '--', id])
    await json(['notes', 'add', '--body', 'Called', ...(one ?? [])])
    await json(['notes', 'add', '--body', 'Wrote', ...(other ?? [])])
    expect(await json(['notes', 'list', ...(one ?? [])])).toMatchObject([{ body: 'Called' }])
    expect(await json(['notes', 'list', ...(other ?? [])])).toMatchObject([{ body: 'Wrote' }])
  })
}

/** By id, and without the times of the last change. */
function sorted(records: readonly Record<string, unknown>[]): readonly Record<string, unknown>[] {
  const plain = records.map(({ updated_at: _, lastmodifieddate: __, ...record }) => record)
  return plain.toSorted((a, b) => String(a.id).localeCompare(String(b.id)))
}
