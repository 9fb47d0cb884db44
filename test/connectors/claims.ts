import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import type { Env } from '../harness/home.ts'
import type { EffectType } from './emulators/emulator.ts'

/** A server that crm reaches through a connector. */
export interface Reached {
  readonly env: Env
  /** The number of its contacts, asked for without crm. */
  count(): number | Promise<number>
  /** How many writes of contacts took effect. */
  effects(type: EffectType): number
}

export interface Claimed {
  /** With so many contacts. */
  reach(records: number): Promise<Reached>
  /** Why no key is refused; undefined where one is. */
  readonly keyless?: string
}

const FIELDS = ['--set', 'name=Ada Lovelace', '--set', 'email=ada@engines.test'] as const

/** 500 rows, of which the records of the server have the first `known`. */
export function personRows(emails: readonly string[], count = 500): string {
  const lines = Array.from({ length: count }, (_, n) => `Person ${n},${emails[n] ?? `new${n}@import.test`}`)
  return `name,email\n${lines.join('\n')}\n`
}

/** The part of the suite that is quick. */
export function claimSingles({ reach }: Claimed): void {
  test('a contact is created, read, changed and deleted', async () => {
    const { env, count } = await reach(0)
    const created = JSON.parse(await crmPrints(['contacts', 'create', ...FIELDS, '-o', 'json'], env))
    expect(created).toMatchObject({ id: expect.any(String), name: 'Ada Lovelace', email: 'ada@engines.test' })
    const { id } = created
    expect(JSON.parse(await crmPrints(['contacts', 'get', '-o', 'json', '--', id], env))).toEqual(created)
    const changed = JSON.parse(
      await crmPrints(['contacts', 'update', '--set', 'name=Ada King', '-o', 'json', '--', id], env),
    )
    expect(changed).toMatchObject({ id, name: 'Ada King', email: 'ada@engines.test' })
    await crmPrints(['contacts', 'delete', '--yes', '--', id], env)
    expect(await count()).toBe(0)
    expect((await crm(['contacts', 'get', '--', id], env)).exit).toBe(6)
  })
}

/** What holds for every server that can list, get, create, update and delete. */
export function claimAll(claimed: Claimed): void {
  const { reach, keyless } = claimed
  test('a list of 3,000 is complete', async () => {
    const { env, count } = await reach(3000)
    const ids = (await crmPrints(['contacts', 'list', '-o', 'id'], env)).trim().split('\n')
    expect(new Set(ids).size).toBe(3000)
    expect(await count()).toBe(3000)
  })

  claimSingles(claimed)

  test('an import with --match changes the contacts that are there, creates the others, and is undone', async () => {
    const { env, count, effects } = await reach(300)
    const before = JSON.parse(await crmPrints(['contacts', 'list', '-o', 'json'], env))
    const emails = before.slice(0, 200).map(({ email }: { email: string }) => email)
    const file = join(env.HOME ?? '', 'people.csv')
    writeFileSync(file, personRows(emails))
    const importing = ['contacts', 'import', file, '--match', 'email', '--yes']
    const { job } = JSON.parse(await crmPrints([...importing, '-o', 'json'], env))
    expect(await count()).toBe(600)
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

  test('a wrong key is refused with the exit code of a key', async ({ skip }) => {
    if (keyless !== undefined) skip(keyless)
    const { env } = await reach(0)
    const { exit, stderr } = await crm(['contacts', 'list'], { ...env, CRM_API_KEY: 'wrong_key_of_nobody' })
    expect(exit, stderr).toBe(4)
  })
}

/** Of servers whose deals and notes need nothing else, such as a pipeline. */
export function claimDeals({ reach }: Claimed): void {
  test('deals are created, read, changed and listed, each with its own notes', async () => {
    const { env } = await reach(0)
    const json = async (args: readonly string[]) => JSON.parse(await crmPrints(args, env))
    const deal = ['--set', 'stage=Lead', '--set', 'amount:=12.5', '-o', 'json']
    const { id } = await json(['deals', 'create', '--set', 'name=One', ...deal])
    const { id: other } = await json(['deals', 'create', '--set', 'name=Other', ...deal])
    // Some servers have ids that begin with a hyphen.
    const one = ['-o', 'json', '--', id]
    expect(await json(['deals', 'get', ...one])).toMatchObject({ id, name: 'One', stage: 'Lead', amount: 12.5 })
    expect(await json(['deals', 'update', '--set', 'stage=Won', ...one])).toMatchObject({ stage: 'Won', amount: 12.5 })
    const listed = await json(['deals', 'list', '-o', 'json'])
    expect(listed.map(({ name }: { name: string }) => name).toSorted()).toEqual(['One', 'Other'])
    await json(['notes', 'add', '--body', 'Called', ...one])
    await json(['notes', 'add', '--body', 'Wrote', '-o', 'json', '--', other])
    expect(await json(['notes', 'list', ...one])).toMatchObject([{ deal_id: id, body: 'Called' }])
  })
}

/** By id, and without the times of the last change. */
function sorted(records: readonly Record<string, unknown>[]): readonly Record<string, unknown>[] {
  const plain = records.map(({ updated_at: _, lastmodifieddate: __, ...record }) => record)
  return plain.toSorted((a, b) => String(a.id).localeCompare(String(b.id)))
}
