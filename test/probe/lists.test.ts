import { describe, expect, test } from 'vitest'
import { COUNTS, LINKS, WHOLE_LISTS } from '../foreign/groups.ts'
import { contactsOf } from '../foreign/run-shape.ts'
import type { ListShape } from '../foreign/shape.ts'
import { sample } from '../harness/sample.ts'
import { NOTHING, probed } from './probe-server.ts'

/** Lists that a connector can describe, or whose paging shows itself, are drafted whole; these are not, and say so. */
const OPEN: readonly RegExp[] = [
  // No record, or one page now, whose member for the next one is empty.
  /\b(?:of|and) 0 records|^no records|^code 0|^status: ok|^a message that (?:there|it)|^success: true|^code 200|^resultCode|^a meta that|^filters that/,
  /^next that is null|^has_more that is false|Marketo\), and (?:7|50)|has_more: false on the one page/,
  // As many records as a usual page has, and nothing that shows the end.
  /(?:FHIR Bundle without a total|Yii\), and|react-admin\),? and|_end \(react-admin\)).* 20 records|results="false" \(Sentry\), and 100|matches and a range|Content-Range of 50/,
  // What leads on is in a header or in each record, or the records are no elements of a list.
  /^X-(?:Next-Cursor|Continuation-Token) in a header|^a cursor in each record|DynamoDB|Mautic/,
  // The list changes between the first request and the second.
  /^one is added to/,
  // The server refuses or repeats the page behind the last one, or never stops to name one.
  /^page 3 is |Dolibarr\), and (?:7|20|40)|the last one again|Yii\), and 237|react-admin\), and 237/,
  /that is 0 at the end|pages that begin again|stays at the last full page|changed meanwhile, and no next|FHIR Bundle without a total, and 237/,
  // Only a person knows.
  /^wire\.paging (?!.*and 7 records)|and wire\.paging none$|by the word of the person|page is known, and there is one page/,
]

function isOpen({ name, holds }: ListShape): boolean {
  return holds === 0 || OPEN.some((pattern) => pattern.test(name))
}

function draft({ holds, answer }: ListShape) {
  const contacts = contactsOf(holds)
  return probed(
    (asked) => (asked.path === '/v1/contacts' ? answer(asked, contacts) : NOTHING),
    ['--resource', 'contacts=/v1/contacts', '--resource', 'deals=none'],
  )
}

describe.each(Object.entries({ ...COUNTS, ...LINKS, ...WHOLE_LISTS }))('a server that %s', (_, shapes) => {
  test.each(sample(shapes, 3))('is drafted whole or open: $name', async (shape) => {
    const { made, text, list, seen } = await draft(shape)
    const listed = await list()
    const all = contactsOf(shape.holds).map(({ id }) => `${id}\n`)
    const isDone = made.exit === 0
    expect(seen.filter(({ method }) => method !== 'GET')).toEqual([])
    if (isDone) expect(listed).toMatchObject({ exit: 0, stdout: all.join('') })
    else expect({ ...made, text }).toMatchObject(OPEN_DRAFT(made.exit))
    // What is open is refused before the first record, unless the list was whole and failed only when it was read again.
    if (!isDone) expect(listed.exit).not.toBe(0)
    if (shape.right === 'complete') expect(isDone, made.stderr).toBe(!isOpen(shape))
  })
})

/** Exit 7: the first answer is no list. */
function OPEN_DRAFT(exit: number): object {
  if (exit === 7) return { exit: 7, text: '', stderr: expect.stringContaining('crm: cannot read /v1/contacts') }
  return {
    exit: 3,
    text: expect.stringContaining('# decide: '),
    stderr: expect.stringContaining('Decide: resources.contacts.list'),
  }
}
