import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CrmRecord } from '../../../src/core/resources/registry.ts'
import { type Export, exportToFile, exportToStream } from '../../../src/jobs/export/export-records.ts'
import { tempFolder } from '../../files/temp-folder.ts'
import { sample } from '../../harness/sample.ts'
import { fakeIo } from '../../output/fake-io.ts'
import { isUndefused, NAUGHTY } from '../../output/naughty-strings.ts'
import { pagesOf } from '../../output/print-fixture.ts'
import { read } from '../reading.ts'

function exportOf(format: Export['format'], given: Partial<Export> = {}): Export & { io: ReturnType<typeof fakeIo> } {
  return {
    io: fakeIo(),
    format,
    fields: undefined,
    columns: ['id', 'name'],
    color: false,
    isCsvSafe: false,
    signal: new AbortController().signal,
    ...given,
  } as Export & { io: ReturnType<typeof fakeIo> }
}

const PAGES: readonly (readonly CrmRecord[])[] = [
  [{ id: '1', name: 'a,\r\n"b"' }, { id: '2' }],
  [],
  [{ id: '3', late: 'é' }],
  [{ name: 'x', later: [1], late: 2 }],
]

describe('keys that appear after the first page', () => {
  test.each([
    ['csv', 'id,name,late,later\r\n1,"a,\r\n""b""",,\r\n2,,,\r\n3,,é,\r\n,x,2,[1]\r\n'],
    ['tsv', 'id\tname\tlate\tlater\n1\ta,\\r\\n"b"\t\t\n2\t\t\t\n3\t\té\t\n\tx\t2\t[1]\n'],
  ] as const)('have a column in a file of %s, and every line as many cells as the header row', async (format, text) => {
    const folder = await tempFolder()
    const path = join(folder, 'x')
    expect(await exportToFile(exportOf(format), path, pagesOf(...PAGES))).toBe(4)
    expect(await readFile(path, 'utf8')).toBe(text)
    expect(await readdir(folder)).toEqual(['x'])
  })

  test('make an export to stdout fail, unless columns are named or the format has none', async () => {
    await expect(exportToStream(exportOf('csv'), pagesOf(...PAGES))).rejects.toMatchObject({ exit: 3 })
    expect(await exportToStream(exportOf('csv', { fields: [['id']] }), pagesOf(...PAGES))).toBe(4)
    const out = exportOf('jsonl')
    expect(await exportToStream(out, pagesOf(...PAGES))).toBe(4)
    expect(out.io.out()).toBe(
      `${PAGES.flat()
        .map((record) => JSON.stringify(record))
        .join('\n')}\n`,
    )
  })
})

test.each([
  ['csv', 'id,name\r\n'],
  ['tsv', 'id\tname\n'],
  ['jsonl', ''],
  ['json', '[]\n'],
  ['yaml', '[]\n'],
] as const)('a list of nothing as %s', async (format, text) => {
  const path = join(await tempFolder(), 'x')
  expect(await exportToFile(exportOf(format), path, pagesOf())).toBe(0)
  expect(await readFile(path, 'utf8')).toBe(text)
})

test.each([
  ['csv', false],
  ['csv', true],
  ['tsv', true],
  ['jsonl', false],
  ['json', false],
  ['yaml', false],
] as const)(
  '%s (csv-safe: %s) is read back without a change, page for page of naughty strings with keys of their own',
  async (format, isCsvSafe) => {
    const texts = sample(NAUGHTY, 5).filter((text) => isCsvSafe || isUndefused(text))
    const records = texts.map((name, at) => ({
      id: `con_${at}`,
      name,
      ...(at % 50 === 49 ? { [`key ${at}`]: name } : {}),
    }))
    const pages = Array.from({ length: Math.ceil(records.length / 20) }, (_, at) =>
      records.slice(at * 20, at * 20 + 20),
    )
    const path = join(await tempFolder(), 'x')
    await exportToFile(exportOf(format, { isCsvSafe }), path, pagesOf(...pages))
    const { source, rows, findings } = await read({ bytes: await readFile(path), name: `x.${format}`, isCsvSafe })
    expect(findings).toEqual([])
    expect(rows).toHaveLength(records.length)
    for (const [at, { id, fields }] of rows.entries()) {
      expect(id).toBe(`con_${at}`)
      expect(source.changes(fields, records[at] ?? {})).toEqual({ fields: {}, retyped: [] })
    }
  },
)

test('a list that is cut short leaves no file', async () => {
  async function* broken(): AsyncGenerator<readonly CrmRecord[]> {
    yield [{ id: '1' }]
    throw new Error('the connection is gone')
  }
  const folder = await tempFolder()
  await expect(exportToFile(exportOf('json'), join(folder, 'x.json'), broken())).rejects.toThrow(
    'the connection is gone',
  )
  expect(await readdir(folder)).toEqual([])
})
