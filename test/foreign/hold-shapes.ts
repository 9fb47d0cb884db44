import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { contactsOf, type Foreign, fileIn, type Run, startForeign } from './run-shape.ts'
import type { CommandShape, ListShape } from './shape.ts'

/** Each of the shapes, by what its servers do, read as `crm serve` answers: a list is whole or an error, never short. */
export function holdShapes(groups: Readonly<Record<string, readonly ListShape[]>>): void {
  for (const [group, shapes] of Object.entries(groups)) {
    describe(`a server that ${group}`, () => {
      test.each(shapes)('is read whole or refused: $name', holdsWholeOrRefused)
    })
  }
}

/** Each command, with what it says and sends. */
export function holdCommands(groups: Readonly<Record<string, readonly CommandShape[]>>): void {
  for (const [group, shapes] of Object.entries(groups)) {
    describe(group, () => {
      test.each(shapes)('$name', async ({ argv, stdin, answer, connector, right }) => {
        const { crm, seen } = await startForeign(answer, undefined, connector)
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

async function holdsWholeOrRefused({ holds, answer }: ListShape): Promise<void> {
  const contacts = contactsOf(holds)
  const { crm, seen, folder, origin } = await startForeign((asked) =>
    asked.method === 'GET' && asked.path === '/v1/contacts'
      ? answer(asked, contacts)
      : { status: 404, json: { message: 'there is nothing here' } },
  )
  const listed = await crm(['contacts', 'list', '-o', 'id'])
  expectWhole(listed, holds)
  if (listed.exit === 7) expect(listed.stderr).toMatch(probeLine(origin))
  expectWhole(await crm(['api', 'GET', '/v1/contacts', '--paginate', '-o', 'id']), holds)
  const file = join(folder, 'all.jsonl')
  const { exit } = await crm(['contacts', 'export', file])
  if (exit === 0) expect(readFileSync(file, 'utf8').split('\n').filter(Boolean)).toHaveLength(holds)
  else expect(existsSync(file)).toBe(false)
  const rows = fileIn(folder, 'rows.csv', `name,email\nSomebody,p${holds}@example.com\n`)
  const planned = await crm(['contacts', 'import', rows, '--match', 'email', '--dry-run'])
  if (planned.exit === 0 && holds > 0) expect(planned.stdout).not.toMatch(/create\W+1\b/)
  // Nothing is sent but the requests of the commands.
  expect(seen.filter(({ method, path }) => method !== 'GET' || !path.startsWith('/v1/contacts'))).toEqual([])
}

function expectWhole({ exit, stdout, stderr }: Run, holds: number): void {
  const ids = contactsOf(holds).map(({ id }) => `${id}\n`)
  if (exit === 0) expect(stdout).toBe(ids.join(''))
  else expect({ exit, stderr }).toEqual({ exit: expect.toBeOneOf([2, 3, 4, 5, 6, 7, 8, 9]), stderr: expect.anything() })
}

function probeLine(origin: string): RegExp {
  return new RegExp(`crm connectors check .*crm connectors create --probe ${origin}`)
}

function writesIn(seen: Foreign['seen']): readonly string[] {
  return seen
    .filter(({ method, path }) => method !== 'GET' && !path.includes('graphql'))
    .map(({ method, path }) => `${method} ${path}`)
}
