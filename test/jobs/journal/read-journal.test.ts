import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Entry } from '../../../src/jobs/journal/entry.ts'
import { Journal, readJournal } from '../../../src/jobs/journal/journal.ts'
import { tempFolder } from '../../files/temp-folder.ts'
import { stepOf } from '../../harness/sample.ts'

const EMPTY = { wholeBytes: 0, serial: 0, isTorn: false }

async function writeJournal(): Promise<string> {
  const path = join(await tempFolder(), 'journal')
  const journal = new Journal(path, EMPTY, () => 1000)
  for (let from = 0; from < 3; from++) {
    journal.append({ t: 'lease', from, to: from + 1, at: 0, time: 1000 })
    await journal.sync()
    journal.addResult([from, 201, `con_${from}`])
    journal.flush()
  }
  journal.close()
  return path
}

function entriesOf(path: string): Entry[] {
  const entries: Entry[] = []
  readJournal(path, (entry) => entries.push(entry))
  return entries
}

test('a journal truncated at any byte ends with its last complete line', async () => {
  const path = await writeJournal()
  const whole = readFileSync(path)
  const all = entriesOf(path)
  for (let length = 0; length <= whole.length; length++) {
    writeFileSync(path, whole.subarray(0, length))
    const lines = whole.subarray(0, length).toString().split('\n').length - 1
    expect(entriesOf(path)).toEqual(all.slice(0, lines))
  }
})

test('a changed byte is refused if a later line records it as synced, and truncated otherwise', async () => {
  const path = await writeJournal()
  const whole = readFileSync(path)
  const all = entriesOf(path)
  const ends = [...whole.keys()].filter((at) => whole[at] === 10)
  // The last sync covers all lines but the last one.
  const unsynced = (ends.at(-2) ?? 0) + 1
  for (let at = 0; at < whole.length; at += stepOf(5)) {
    const damaged = Buffer.from(whole)
    damaged[at] = (damaged[at] ?? 0) ^ 1
    writeFileSync(path, damaged)
    // Without its end the last synced line is one with the line that would tell.
    if (at === unsynced - 1) continue
    if (at < unsynced) expect(() => entriesOf(path)).toThrow(/is damaged at byte/)
    else expect(entriesOf(path)).toEqual(all.slice(0, -1))
  }
})

test('an appended entry replaces a torn tail', async () => {
  const path = await writeJournal()
  const whole = readFileSync(path)
  writeFileSync(path, whole.subarray(0, -5))
  const end = readJournal(path, () => {})
  const journal = new Journal(path, end, () => 2000)
  journal.append({ t: 'doubt', op: 2, why: 'test' })
  journal.close()
  expect(entriesOf(path).at(-1)).toEqual({ t: 'doubt', op: 2, why: 'test' })
  expect(readJournal(path, () => {}).isTorn).toBe(false)
})

test('closing writes the results that are waiting', async () => {
  const path = join(await tempFolder(), 'journal')
  const journal = new Journal(path, EMPTY, () => 1000)
  journal.addResult([0, 201, 'con_0'])
  journal.close()
  expect(entriesOf(path)).toEqual([{ t: 'done', time: 1000, r: [[0, 201, 'con_0']] }])
})
