import { spawnSync } from 'node:child_process'
import { describe, expect } from 'vitest'
import { parse } from 'yaml'
import { crm, crmPrints } from '../harness/crm.ts'
import { ask } from '../harness/records.ts'
import { startService } from '../harness/service.ts'
import { testWithService } from '../harness/shared-service.ts'
import { NAUGHTY } from '../output/naughty-strings.ts'

const HAS_PYTHON = spawnSync('python3', ['-c', 'import csv']).status === 0

/** Every naughty string as a name, the first one the newest. */
const test = testWithService(async (cleanUp) => {
  const service = await startService(['--rate-limit', 'none'], cleanUp)
  for (const name of NAUGHTY.toReversed()) {
    const { status } = await ask(service, { method: 'POST', path: '/v1/contacts', body: { name } })
    if (status !== 201) throw new Error(`a name was refused with ${status}: ${JSON.stringify(name)}`)
  }
  return service
})

const ALL = ['contacts', 'list', '--fields', 'name', '-o']

describe('every naughty string is read from the service unchanged', () => {
  test('as json, jsonl and yaml', async ({ service }) => {
    const names = (records: unknown) => (records as { name: string }[]).map(({ name }) => name)
    expect(names(JSON.parse(await crmPrints([...ALL, 'json'], service.env)))).toEqual(NAUGHTY)
    expect(names(parse(await crmPrints([...ALL, 'yaml'], service.env)))).toEqual(NAUGHTY)
    const lines = (await crmPrints([...ALL, 'jsonl'], service.env)).split('\n').slice(0, -1)
    expect(names(lines.map((line) => JSON.parse(line)))).toEqual(NAUGHTY)
  })

  test('as tsv, a line each', async ({ service }) => {
    const [head, ...lines] = (await crmPrints([...ALL, 'tsv'], service.env)).split('\n').slice(0, -1)
    const back: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '0': '\0', '\\': '\\' }
    expect(head).toBe('name')
    expect(lines.map((line) => line.replace(/\\(.)/g, (_, char) => back[char] ?? '?'))).toEqual(NAUGHTY)
  })

  for (const flags of [[], ['--csv-safe']]) {
    test.skipIf(!HAS_PYTHON)(
      `as csv ${flags} to Python's csv module (skipped without python3)`,
      async ({ service }) => {
        const input = await crmPrints([...ALL, 'csv', ...flags], service.env)
        const script = `import csv, io, json, sys
csv.field_size_limit(sys.maxsize)
json.dump([r[0] for r in csv.reader(io.TextIOWrapper(sys.stdin.buffer, encoding='utf-8', newline=''), strict=True)], sys.stdout)`
        const { stdout, stderr } = spawnSync('python3', ['-c', script], { input, encoding: 'utf8', maxBuffer: 1e9 })
        expect(stderr).toBe('')
        const [head, ...cells] = JSON.parse(stdout) as string[]
        expect(head).toBe('name')
        if (flags.length === 0) return expect(cells).toEqual(NAUGHTY)
        const defused = /^'+[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
        expect(cells.filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([])
        expect(cells.map((cell) => (defused.test(cell) ? cell.slice(1) : cell))).toEqual(NAUGHTY)
      },
    )
  }

  test('a table has a line for each, without control characters of a terminal', async ({ service }) => {
    const lines = (await crmPrints([...ALL, 'table'], service.env)).split('\n').slice(1, -1)
    expect(lines).toHaveLength(NAUGHTY.length)
    expect(lines.filter((line) => /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(line))).toEqual([])
  })
})

test('--csv-safe beside another format is a usage error', async ({ service }) => {
  const { exit, stderr } = await crm(['contacts', 'list', '--csv-safe'], service.env)
  expect({ exit, stderr }).toEqual({
    exit: 2,
    stderr: 'crm: --csv-safe does not go with -o table\n  use -o csv or -o tsv\n',
  })
})
