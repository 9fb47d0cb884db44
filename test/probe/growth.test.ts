import { describe, expect, test } from 'vitest'
import { COUNTS, LINKS, WHOLE_LISTS } from '../foreign/groups.ts'
import { contactsOf } from '../foreign/run-shape.ts'
import type { ListShape } from '../foreign/shape.ts'
import { sample } from '../harness/sample.ts'
import { NOTHING, probed } from './probe-server.ts'

/** Servers that state the numbers of these tests, whatever they hold. */
const STATED = /^\{"total":7\}|total that is too low|every parameter that is not known is a 400/

const SHAPES = Object.values({ ...COUNTS, ...LINKS, ...WHOLE_LISTS })
  .flat()
  .filter(({ name }) => !STATED.test(name))

async function grown({ answer }: ListShape, few: number) {
  let contacts = contactsOf(few)
  const { list } = await probed(
    (asked) => (asked.path === '/v1/contacts' ? answer(asked, contacts) : NOTHING),
    ['--resource', 'contacts=/v1/contacts', '--resource', 'deals=none'],
  )
  contacts = contactsOf(237)
  return list()
}

const all = contactsOf(237).map(({ id }) => String(id))

/** What was drafted from a few records is used when there are more. */
describe.each([3, 7, 20])('a list that had %d records and has 237', (few) => {
  test.each(sample(SHAPES, 8))('is whole, or an error: $name', async (shape) => {
    const { exit, stdout } = await grown(shape, few)
    // Some of the servers add a record while the list is read.
    if (exit === 0) expect(stdout.split('\n')).toEqual(expect.arrayContaining(all))
    else expect([2, 6, 7, 9]).toContain(exit)
  })
})

test('ids that count the records are not taken for offsets: after deletions the list is whole', async () => {
  let people = Array.from({ length: 45 }, (_, n) => ({ id: n + 1, name: `Person ${n}`, email: `p${n}@example.com` }))
  const { made, text, list } = await probed(({ path, query }) => {
    const [start, size] = ['_start', '_limit'].map((name) => Number(query.get(name)))
    return path === '/people' ? { json: people.slice(start, (start ?? 0) + (size || 20)) } : NOTHING
  }, [])
  expect({ exit: made.exit, text }).toEqual({ exit: 0, text: expect.stringContaining('by: offset, param: _start') })
  people = people.filter(({ id }) => id % 2 === 0 || id > 40)
  expect((await list()).stdout).toBe(people.map(({ id }) => `${id}\n`).join(''))
})

test('a server that reads the place of a page only with its size is listed', async () => {
  const deals = Array.from({ length: 7 }, (_, n) => ({ id: `d${n}`, title: `Deal ${n}`, amount: n, stage: 'open' }))
  const { made, list } = await probed(({ path, query }) => {
    const [start, size] = ['_start', '_limit'].map((name) => Number(query.get(name)))
    return path === '/deals' ? { json: size ? deals.slice(start, (start ?? 0) + size) : deals } : NOTHING
  }, [])
  expect(made).toMatchObject({ exit: 0, stderr: expect.stringContaining('paging by offset _start') })
  expect((await list(['deals', 'list', '-o', 'id'])).stdout).toBe(deals.map(({ id }) => `${id}\n`).join(''))
})
