import { describe, expect, test } from 'vitest'
import { COUNTS, LINKS, WHOLE_LISTS } from '../foreign/groups.ts'
import { contactsOf } from '../foreign/run-shape.ts'
import type { ListShape } from '../foreign/shape.ts'
import { sample } from '../harness/sample.ts'
import { NOTHING, probed } from './probe-server.ts'

function draft({ holds, answer }: ListShape) {
  const contacts = contactsOf(holds)
  return probed(
    (asked) => (asked.path === '/v1/contacts' ? answer(asked, contacts) : NOTHING),
    ['--resource', 'contacts=/v1/contacts', '--resource', 'deals=none'],
  )
}

const done: string[] = []

describe.each(Object.entries({ ...COUNTS, ...LINKS, ...WHOLE_LISTS }))('a server that %s', (_, shapes) => {
  test.each(sample(shapes, 3))('is drafted whole or open: $name', async (shape) => {
    const { made, text, list, seen } = await draft(shape)
    const listed = await list()
    const all = contactsOf(shape.holds).map(({ id }) => String(id))
    const isDone = made.exit === 0
    expect(seen.filter(({ method }) => method !== 'GET')).toEqual([])
    // A list that changes while it is read may be refused.
    if (isDone) expect([7, 0]).toContain(listed.exit)
    if (listed.exit === 0) expect(listed.stdout.trimEnd().split('\n')).toEqual(expect.arrayContaining(all))
    if (!isDone) expect({ ...made, text }).toMatchObject(OPEN_DRAFT(made.exit))
    // What is open in the list is refused before the first record.
    if (made.stderr.includes('Decide: objects.contacts.verbs.list.paging')) expect(listed.exit).not.toBe(0)
    done.push(...(isDone ? [shape.name] : []))
  })
})

/** Exit 7: the first answer is no list. */
function OPEN_DRAFT(exit: number): object {
  if (exit === 7) return { exit: 7, text: '', stderr: expect.stringContaining('crm: cannot read /v1/contacts') }
  return {
    exit: 3,
    text: expect.stringContaining('# decide: '),
    stderr: expect.stringContaining('Decide: objects.contacts.'),
  }
}

test('most lists that can be read whole are drafted without a question', () => {
  const all = Object.values({ ...COUNTS, ...LINKS, ...WHOLE_LISTS }).flatMap((shapes) => sample(shapes, 3))
  const whole = all.filter(({ right, holds }) => right === 'complete' && holds > 0)
  expect(done.length / whole.length).toBeGreaterThan(0.6)
})

test.each([
  ['lacks it', {}, 'absent: true'],
  ['has null there', { next: null }, ''],
])('the draft says whether the last page %s', async (_, last, absent) => {
  const people = contactsOf(25)
  const { made, text, list } = await probed(({ path, query }) => {
    const from = Number(query.get('after') ?? 0)
    const end = from + 10 < people.length ? { next: String(from + 10) } : last
    return path === '/people' ? { json: { rows: people.slice(from, from + 10), ...end } } : NOTHING
  }, [])
  expect(made).toMatchObject({ exit: 0 })
  expect(text.match(/absent: true/)?.[0] ?? '').toBe(absent)
  expect((await list()).stdout.trim().split('\n')).toEqual(people.map(({ id }) => String(id)))
})
