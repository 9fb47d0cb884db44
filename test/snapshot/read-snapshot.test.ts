import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readSnapshot } from '../../src/snapshot/snapshot.ts'
import { tempFolder } from '../files/temp-folder.ts'

const LINES = [
  '{"crm_snapshot":1}',
  '{"type":"contact","record":{"id":"con_1"}}',
  '{"type":"deal","record":{"id":"deal_1","amount":0.30000000000000001}}',
  '{"type":"end","contacts":1,"deals":1}',
]

async function read(lines: readonly string[]) {
  const path = join(await tempFolder(), 'before.ndjson')
  await writeFile(path, lines.map((line) => `${line}\n`).join(''))
  const types: string[] = []
  const { entries: batches } = await readSnapshot(path, async function* () {})
  for await (const entries of batches) types.push(...entries.map(({ type }) => type))
  return types
}

test('the records of a snapshot are read', async () => {
  expect(await read(LINES)).toEqual(['contact', 'deal'])
})

test.each([
  ['without its end', LINES.slice(0, -1), 'is the last one: the snapshot is truncated'],
  ['with fewer records than its end counts', LINES.toSpliced(1, 1), 'is the last one: the snapshot is truncated'],
  ['that continues after its end', [...LINES, LINES[1] ?? ''], 'follows the end of the snapshot'],
  ['without its first line', LINES.slice(1), 'is not the first line of a snapshot'],
  ['of another version', ['{"crm_snapshot":2}', ...LINES.slice(1)], 'a snapshot of version 2, expected 1'],
  ['with another record', LINES.with(1, '{"type":"note","record":{}}'), 'is no record of contacts, deals'],
  ['with a line that is no JSON', LINES.with(1, 'con_1'), 'is not a JSON object'],
  ['that is empty', [], 'is empty'],
])('a file %s is rejected', async (_, lines, message) => {
  await expect(read(lines)).rejects.toMatchObject({ code: 'invalid_input', message: expect.stringContaining(message) })
})
