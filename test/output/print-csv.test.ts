import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CrmRecord } from '../../src/core/resources/registry.ts'
import { printRecord } from '../../src/output/print-records.ts'
import { fakeIo } from './fake-io.ts'
import { anyText, NAUGHTY } from './naughty-strings.ts'
import { print } from './print-fixture.ts'

const HAS_PYTHON = spawnSync('python3', ['-c', 'import csv']).status === 0

/** The rows that Python's csv module reads: a reader that shares no code with the writer. */
function readByPython(csv: string): string[][] {
  const script = [
    'import csv, io, json, sys',
    'csv.field_size_limit(sys.maxsize)',
    "text = io.TextIOWrapper(sys.stdin.buffer, encoding='utf-8', newline='')",
    'json.dump(list(csv.reader(text, strict=True)), sys.stdout)',
  ].join('\n')
  const { stdout, stderr } = spawnSync('python3', ['-c', script], { input: csv, encoding: 'utf8', maxBuffer: 1e9 })
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

async function csv(...pages: CrmRecord[][]): Promise<string> {
  return (await print({ format: 'csv' }, ...pages)).io.out()
}

test('csv has CRLF after each line, quotes only where they are needed, and JSON for lists and objects', async () => {
  expect(await csv([{ id: 1, name: 'a, "b"\nc', tags: ['x', { y: 1 }], is: true, n: -0.5 }])).toBe(
    'id,name,tags,is,n\r\n1,"a, ""b""\nc","[""x"",{""y"":1}]",true,-0.5\r\n',
  )
})

test('a cell with a line end is quoted', async () => {
  expect(await csv([{ id: 'a\nb', name: 'c\rd' }])).toBe('id,name\r\n"a\nb","c\rd"\r\n')
})

test('null and absent values are empty cells, an empty text is two quotes, and no line is blank', async () => {
  expect(await csv([{ id: 'a', name: null }, { id: 'b' }, { id: 'c', name: '' }])).toBe(
    'id,name\r\na,\r\nb,\r\nc,""\r\n',
  )
  const { io } = await print({ format: 'csv', fields: 'name' }, [{ name: null }])
  expect(io.out()).toBe('name\r\n""\r\n')
})

test('the columns are the known fields, then the other keys of the first page; later keys are counted on stderr', async () => {
  const { io } = await print(
    { format: 'csv' },
    [{ id: '1', b: 1 }, { a: 2 }],
    [{ id: '2', late: 1, later: 2 }, { late: 3 }],
  )
  expect(io.out()).toBe('id,name,b,a\r\n1,,1,\r\n,,,2\r\n2,,,\r\n,,,\r\n')
  expect(io.err()).toBe(
    '3 values have no column, because their keys are not in the first page: late, later; choose with --fields\n',
  )
})

test('--fields fixes the columns, and no other key is counted', async () => {
  const { io } = await print({ format: 'csv', fields: 'o.x,id' }, [{ id: '1', o: { x: 'y' } }], [{ id: '2', z: 1 }])
  expect(io.out()).toBe('o.x,id\r\ny,1\r\n,2\r\n')
  expect(io.err()).toBe('')
})

test.skipIf(!HAS_PYTHON)('every naughty string comes out of csv as it went in (skipped without python3)', async () => {
  const [head, ...rows] = readByPython(await csv(NAUGHTY.map((name, id) => ({ id, name }))))
  expect(head?.slice(0, 2)).toEqual(['id', 'name'])
  expect(rows.map((row) => row[1])).toEqual(NAUGHTY)
})

test('a formula cell is defused, a negative number is not, and removing one apostrophe restores the text', async () => {
  const { io } = await print({ format: 'csv', columns: [], isCsvSafe: true }, [
    { '=a': '=1+1', b: -5, c: "'=x", d: "'x" },
  ])
  expect(io.out()).toBe("'=a,b,c,d\r\n'=1+1,-5,''=x,'x\r\n")
  const text = fc.string({ unit: fc.constantFrom('=', '+', '-', '@', '\t', '\r', "'", 'a', '＝') })
  await fc.assert(
    fc.asyncProperty(text, async (given) => {
      const { io } = await print({ format: 'csv', columns: ['x'], isCsvSafe: true }, [{ x: given }])
      const [, cell = ''] = /^x\r\n"?([^"]*)"?\r\n$/.exec(io.out()) ?? []
      expect(cell).not.toMatch(/^[=+\-@\t\r＝]/)
      expect(/^'+[=+\-@\t\r\n＝＋－＠]/.test(cell) ? cell.slice(1) : cell).toBe(given)
    }),
  )
})

test('tsv has one line per record, and its escapes restore the text', async () => {
  const record = fc.record({
    id: anyText(),
    name: fc.oneof(fc.constantFrom(...NAUGHTY), fc.string()),
  })
  const back: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '0': '\0', '\\': '\\' }
  await fc.assert(
    fc.asyncProperty(record, async (given) => {
      const { io } = await print({ format: 'tsv' }, [given])
      const lines = io.out().split('\n')
      expect([lines.length, lines[0], lines[2]]).toEqual([3, 'id\tname', ''])
      const cells = lines[1]?.split('\t').map((cell) => cell.replace(/\\(.)/g, (_, char) => back[char] ?? '?'))
      expect(cells).toEqual([given.id, given.name])
    }),
  )
})

test.each(['csv', 'tsv'] as const)(
  'on a terminal %s contains no character that the terminal acts on',
  async (format) => {
    const { io } = await print({ format, width: 80 }, [{ id: '\x1b[2J\u202e\r', name: 'a\tb' }])
    const lineEnd = format === 'csv' ? '\r\n' : '\n'
    expect(io.out()).toContain('\\x1b[2J\\u202e')
    expect(io.out().replaceAll(lineEnd, '')).not.toMatch(/[\r\n\u202e]/)
  },
)

test.each([
  ['csv', 'id,size\r\n1,"a,b"\r\n'],
  ['tsv', 'id\tsize\n1\ta,b\n'],
  ['yaml', 'id: 1\nsize: "a,b"\n'],
] as const)('one record as %s', async (format, text) => {
  const io = fakeIo()
  const out = { io, format, fields: undefined, columns: [], color: false, isCsvSafe: false, query: undefined }
  await printRecord(out, { id: 1, size: 'a,b' })
  expect(io.out()).toBe(text)
})
