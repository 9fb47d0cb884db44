import { readFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createFailedRows, failedRowsName } from '../../../src/jobs/input/failed-rows.ts'
import { InputCopy } from '../../../src/jobs/store/job-writer.ts'
import { tempFolder } from '../../files/temp-folder.ts'
import { type Input, type Reading, read } from '../reading.ts'

const FAILURE = { code: 'invalid_values', field: 'email', reason: 'expected "a@b", got =cmd()\x1b[2J\n' }

/** What a job keeps of its input. */
function copyOf(path: string, { summary: verdict }: Reading['source']) {
  const bytes = readFileSync(path)
  const copy = new InputCopy(path)
  const header = copy.header({ verdict }).map((row) => Buffer.from(row.bytes))[0]
  copy.close()
  const bytesOf = ({ line, offset, length }: Reading['rows'][number]) => ({
    line,
    bytes: bytes.subarray(offset, offset + length),
  })
  return { header, bytesOf }
}

async function failAll({ source, path, rows }: Reading): Promise<{ readonly to: string; readonly name: string }> {
  const name = failedRowsName(source.summary)
  const to = join(await tempFolder(), name)
  const { header, bytesOf } = copyOf(path, source)
  const failed = await createFailedRows({ summary: source.summary, header, to })
  for (const row of rows) await failed.add(bytesOf(row), FAILURE)
  await failed.close()
  return { to, name }
}

const TOLD = 'invalid_values,email,"expected ""a@b"", got =cmd()\\x1b[2J\\n"'

test('the cells of the input are kept byte for byte, and the reason stands before them', async () => {
  const { to } = await failAll(
    await read({ bytes: 'Name,E-Mail,x\r\n"A,\r\nB" , "" ,1\r\n007,,""\r\n'.replace('" , "" ,', '", b ,') }),
  )
  expect(await readFile(to, 'utf8')).toBe(
    `_crm_line,_crm_code,_crm_field,_crm_reason,Name,E-Mail,x\r\n2,${TOLD},"A,\r\nB", b ,1\r\n4,${TOLD},007,,""\r\n`,
  )
  expect((await stat(to)).mode & 0o777).toBe(0o600)
})

test('two that are written at once to one path are both whole', async () => {
  const { source, path, rows } = await read({ bytes: 'Name,E-Mail\nA,x\n' })
  const to = join(await tempFolder(), 'failed.csv')
  const { header, bytesOf } = copyOf(path, source)
  const both = await Promise.all([0, 1].map(() => createFailedRows({ summary: source.summary, header, to })))
  for (const failed of both) for (const row of rows) await failed.add(bytesOf(row), FAILURE)
  for (const failed of both) {
    await failed.close()
    expect(await readFile(to, 'utf8')).toBe(`_crm_line,_crm_code,_crm_field,_crm_reason,Name,E-Mail\n2,${TOLD},A,x\n`)
  }
})

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')

describe('imported unchanged, it has the same rows, and if they fail again the same file except for the line', () => {
  const inputs: readonly (readonly [string, Input])[] = [
    ['csv with semicolons', { bytes: 'Name;E-Mail\n"A;""b""";x\nC;y\n' }],
    ['csv with a byte order mark', { bytes: '\ufeffname,email\r\nä,x\r\n' }],
    ['UTF-16', { bytes: utf16('name\temail\r\nä€\tx\r\n"a\tb"\ty\r\n'), name: 'people.txt' }],
    ['Windows-1252', { bytes: Buffer.from('name,email\r\n\xe4\x80,x\r\n', 'latin1'), encoding: 'windows-1252' }],
    ['tsv', { bytes: 'name\temail\nA\\tB\tx\n', name: 'people.tsv' }],
    ['quotes as text', { bytes: 'name,email\n5" x,"y"\n', quote: 'none' }],
    ['jsonl', { bytes: '{"name":"é", "n":12345678901234567890}\n{ }\n', name: 'people.jsonl' }],
    ['json', { bytes: '[\n  {\n    "name": "é\\n"\n  },\n  {"name": "b"}\n]\n', name: 'people.json' }],
    ['yaml', { bytes: '- name: é\n  phone: 0151\n-\n  name: b\n', name: 'people.yaml' }],
    ['yaml that is indented', { bytes: '  - name: é\n    phone: 0151\n  - name: b\n', name: 'people.yaml' }],
  ]
  test.each(inputs)('%s', async (_, input) => {
    const first = await read(input)
    const failed = await failAll(first)
    const overrides = { ...input, encoding: undefined }
    const second = await read({ ...overrides, bytes: await readFile(failed.to), name: failed.name })
    expect(JSON.stringify(second.rows.map(({ fields }) => fields))).toBe(
      JSON.stringify(first.rows.map(({ fields }) => fields)),
    )
    expect(second.rows.map(({ earlierLine }) => earlierLine)).toEqual(first.rows.map(({ line }) => line))
    const { encoding, hasBom } = first.source.summary
    expect(second.source.summary).toMatchObject({ encoding: 'utf-8', hasBom: hasBom || encoding !== 'utf-8' })
    const again = await failAll(second)
    const third = await read({ ...overrides, bytes: await readFile(again.to), name: again.name })
    expect(third.source.summary.columns).toEqual(second.source.summary.columns)
    expect(JSON.stringify(third.rows.map(({ fields }) => fields))).toBe(
      JSON.stringify(first.rows.map(({ fields }) => fields)),
    )
  })
})
