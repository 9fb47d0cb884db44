import { describe, expect, test } from 'vitest'
import { loadJq } from '../../src/expr/jq.ts'
import { fileIn, startForeign } from '../foreign/run-shape.ts'

// jq reads a line in parts of 4,095 bytes, and a page of records or a part of a file is one line.
const PART = 4095

const LENGTHS = [PART, 2 * PART].flatMap((bytes) => [bytes - 1, bytes, bytes + 1])

/** A text with which this JSON has so many bytes. */
const padding = (json: string, bytes: number, char: string) =>
  char.repeat((bytes - Buffer.byteLength(json)) / Buffer.byteLength(char)) +
  'x'.repeat((bytes - Buffer.byteLength(json)) % Buffer.byteLength(char))

/** Two pages, of which the first has exactly so many bytes as a list. */
async function twoPages(bytes: number, char: string) {
  const padded = (note: string) => [
    { id: 'a', name: 'Ada' },
    { id: 'b', name: 'Bob', note },
  ]
  const first = padded(padding(JSON.stringify(padded('')), bytes, char))
  expect(Buffer.byteLength(JSON.stringify(first))).toBe(bytes)
  return startForeign(({ query }) =>
    query.get('cursor') === null
      ? { json: { data: first, next_cursor: 'next' } }
      : { json: { data: [{ id: 'c', name: 'Cyd' }], next_cursor: null } },
  )
}

describe.each(LENGTHS)('a page of %i bytes is followed by the next one', (bytes) => {
  test.each(['x', '😀'])('with notes of %s', async (char) => {
    const { crm } = await twoPages(bytes, char)
    const list = ['contacts', 'list', '-o', 'jsonl']
    const where = await crm([...list, '--where', '.name != "Ada"', '--fields', 'id'])
    expect(where).toEqual({ exit: 0, stdout: '{"id":"b"}\n{"id":"c"}\n', stderr: '' })
    expect(await crm([...list, '--jq', '.name'])).toEqual({ exit: 0, stdout: 'Ada\nBob\nCyd\n', stderr: '' })
    const whole = await crm(['contacts', 'list', '-o', 'json', '--jq', 'length'])
    expect(whole).toMatchObject({ exit: 0, stdout: '3\n' })
  })
})

describe.each(LENGTHS)('a row of %i bytes is computed, by each --compute and in each pass', (bytes) => {
  test.each(['x', '😀'])('with notes of %s', async (char) => {
    const { crm, folder } = await startForeign(() => ({ json: { data: [], next_cursor: null } }))
    const row = (note: string) => JSON.stringify([{ name: 'A', email: 'a@x.test', note }])
    const note = padding(row(''), bytes, char)
    expect(Buffer.byteLength(row(note))).toBe(bytes)
    const file = fileIn(folder, 'rows.csv', `name,email,note\nA,a@x.test,${note}\n`)
    const computes = ['company=.name + "!"', 'phone=.company + "?"', 'city=.email'].flatMap((text) => [
      '--compute',
      text,
    ])
    const words = ['contacts', 'import', file, '--match', 'email', ...computes, '--dry-run', '-o', 'json']
    const { exit, stdout, stderr } = await crm(words)
    expect(exit, stderr).toBe(0)
    const [{ now }] = JSON.parse(stdout).preview.samples
    expect(now).toMatchObject({ company: 'A!', phone: 'A!?', city: 'a@x.test', note })
  })
})

test.each(LENGTHS)('an expression of %i bytes is read whole, and the next one too', async (bytes) => {
  const jq = await loadJq()
  const text = `"${'x'.repeat(bytes - '""|length'.length)}"|length`
  for (let run = 0; run < 2; run++)
    expect(await jq.run(['-c', text], '1')).toEqual({ exit: 0, stdout: `${bytes - '""|length'.length}`, stderr: '' })
})
