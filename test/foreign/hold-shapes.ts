import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { contactsOf, type Foreign, fileIn, type Run, startForeign } from './run-shape.ts'
import type { CommandShape, ListShape } from './shape.ts'

/** Each of the shapes, by what its servers do. */
export function holdShapes(groups: Readonly<Record<string, readonly ListShape[]>>): void {
  for (const [group, shapes] of Object.entries(groups)) {
    describe(`a server that ${group}`, () => {
      describe.each(shapes)('$name', (shape) => {
        const { right } = shape
        if (right === 'complete') holdsWhole(shape)
        else holdsRefused(shape, right.refused)
      })
    })
  }
}

/** Each command, with what it says and sends. */
export function holdCommands(groups: Readonly<Record<string, readonly CommandShape[]>>): void {
  for (const [group, shapes] of Object.entries(groups)) {
    describe(group, () => {
      test.each(shapes)('$name', async ({ argv, stdin, answer, settings, right }) => {
        const { crm, seen } = await startForeign(answer, settings)
        const { exit, stdout, stderr } = await crm(argv, stdin)
        expect(exit, stdout + stderr).toBe(right.exit)
        if (right.stdout !== undefined) expect(stdout).toEqual(matching(right.stdout))
        if (right.stderr !== undefined) expect(stderr).toEqual(matching(right.stderr))
        if (right.writes !== undefined) expect(writesIn(seen)).toHaveLength(right.writes)
      })
    })
  }
}

function matching(wanted: string | RegExp): unknown {
  return typeof wanted === 'string' ? wanted : expect.stringMatching(wanted)
}

function start({ holds, answer, settings }: ListShape): Promise<Foreign> {
  const contacts = contactsOf(holds)
  return startForeign(
    (asked) =>
      asked.method === 'GET' && !/openapi|swagger|well-known/.test(asked.path)
        ? answer(asked, contacts)
        : { status: 404, json: { message: 'there is nothing here' } },
    settings,
  )
}

function idsOf(holds: number): string {
  return contactsOf(holds)
    .map(({ id }) => `${id}\n`)
    .join('')
}

function expectExit(run: Run, exit: number): void {
  expect({ exit: run.exit, stderr: run.stderr }).toEqual({ exit, stderr: expect.anything() })
}

/** A row whose email the last record has, and one that no record has. */
const rowsOf = (holds: number) => `name,email\nSomebody,p${holds}@example.com\nNew,new@example.com\n`

function holdsWhole(shape: ListShape): void {
  const { holds, requests } = shape
  test('is listed whole', async () => {
    const { crm, seen } = await start(shape)
    const run = await crm(['contacts', 'list', '-o', 'id'])
    expect(run).toMatchObject({ exit: 0, stdout: idsOf(holds), stderr: expect.not.stringContaining('--cursor') })
    if (requests !== undefined) expect(seen.length).toBeLessThanOrEqual(requests)
  })

  test('is searched, selected, exported and paginated whole, and matched without duplicates', async () => {
    const { crm, seen, folder } = await start(shape)
    if (holds > 0) expect(await crm(['contacts', 'get', `con_${holds}`, '-o', 'id'])).toMatchObject({ exit: 0 })
    expectExit(await crm(['contacts', 'get', 'con_none']), 6)
    const last = `.id == "con_${holds}"`
    const selected = await crm(['contacts', 'list', '--where', last, '-o', 'id'])
    expect(selected).toMatchObject({ exit: 0, stdout: holds > 0 ? `con_${holds}\n` : '' })
    const file = join(folder, 'all.jsonl')
    expectExit(await crm(['contacts', 'export', file]), 0)
    expect(readFileSync(file, 'utf8').trimEnd().split('\n').filter(Boolean)).toHaveLength(holds)
    const paginated = await crm(['api', 'GET', '/v1/contacts', '--paginate', '-o', 'id'])
    expect(paginated).toMatchObject({ exit: 0, stdout: idsOf(holds) })
    const rows = fileIn(folder, 'rows.csv', rowsOf(holds))
    const planned = await crm(['contacts', 'import', rows, '--match', 'email', '--dry-run'])
    expect(planned).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(holds > 0 ? /create\W+1\b/ : /create\W+2\b/),
    })
    expect(writesIn(seen)).toEqual([])
  })
}

function holdsRefused(shape: ListShape, refused: readonly (string | RegExp)[]): void {
  test('is refused, and the refusal names what was seen', async () => {
    const { crm } = await start(shape)
    const run = await crm(['contacts', 'list', '-o', 'id'])
    expectExit(run, 7)
    for (const part of refused) expect(run.stderr).toMatch(part)
    expect(run.stderr).toContain('crm doctor')
  })

  test('is not taken for whole by get, --where, export, snapshot, --paginate and import', async () => {
    const { crm, seen, folder } = await start(shape)
    expectExit(await crm(['contacts', 'get', 'con_none']), 7)
    expectExit(await crm(['contacts', 'list', '--where', '.id == "con_none"']), 7)
    const file = join(folder, 'all.jsonl')
    expectExit(await crm(['contacts', 'export', file]), 7)
    expect(existsSync(file)).toBe(false)
    const snapshot = await crm(['snapshot'])
    expectExit(snapshot, 7)
    expect(snapshot.stdout).not.toContain('"type":"end"')
    expectExit(await crm(['api', 'GET', '/v1/contacts', '--paginate']), 7)
    const rows = fileIn(folder, 'rows.csv', rowsOf(shape.holds))
    expectExit(await crm(['contacts', 'import', rows, '--match', 'email', '--yes']), 7)
    expectExit(await crm(['contacts', 'delete', '--where', '.id == "con_1"', '--yes', '--expect', '1']), 7)
    expect(writesIn(seen)).toEqual([])
  })
}

function writesIn(seen: Foreign['seen']): readonly string[] {
  return seen
    .filter(({ method, path }) => method !== 'GET' && !path.includes('graphql'))
    .map(({ method, path }) => `${method} ${path}`)
}
