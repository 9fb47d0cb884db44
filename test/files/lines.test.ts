import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { linesOf } from '../../src/files/lines.ts'
import { tempFolder } from './temp-folder.ts'

async function all(lines: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = []
  for await (const line of lines) found.push(line)
  return found
}

async function linesIn(text: string): Promise<string[]> {
  const path = join(await tempFolder(), 'text')
  writeFileSync(path, text)
  return all(linesOf(path))
}

test('lines end with LF or CR LF alone, also across chunks and in the middle of characters', async () => {
  expect(await linesIn('a\u2028b\u2029c\r\n\nd')).toEqual(['a\u2028b\u2029c', '', 'd'])
  expect(await linesIn('')).toEqual([])
  const long = `${'é'.repeat(70_000)}\n`
  expect(await linesIn(`x${long}${long}`)).toEqual([`x${long.slice(0, -1)}`, long.slice(0, -1)])
  const chunks = async function* () {
    yield Buffer.from([0xc3])
    yield Buffer.from([0xa9, 10])
    yield 'b'
  }
  expect(await all(linesOf(chunks()))).toEqual(['é', 'b'])
})
