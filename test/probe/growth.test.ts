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

/** What was drafted from a few records is used when there are more. */
describe.each([3, 7, 20])('a list that had %d records and has 237', (few) => {
  test.each(sample(SHAPES, 8))('is whole, or an error: $name', async (shape) => {
    const { exit, stdout } = await grown(shape, few)
    if (exit === 0) expect(stdout.split('\n')).toHaveLength(238)
    else expect([2, 6, 7, 9]).toContain(exit)
  })
})
