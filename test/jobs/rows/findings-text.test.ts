import { expect, test } from 'vitest'
import { createFindings, findingText, summaryLines } from '../../../src/jobs/input/findings.ts'
import type { RowFinding } from '../../../src/jobs/input/row.ts'
import { read } from '../reading.ts'

function finding(line: number, code: RowFinding['code'], column: string | undefined, value?: string): RowFinding {
  return { line, offset: line * 10, code, column, value, message: 'expected better' }
}

test('findings are reported by cause, the most frequent first, with three places each', () => {
  const findings = createFindings()
  findings.add(finding(2, 'required', 'stage'))
  for (let line = 3; line < 8; line++) findings.add(finding(line, 'not_a_number', 'amount', '1,2'))
  const { lines, causes, hidden } = findingText('deals.csv', findings)
  expect({ causes, hidden }).toEqual({
    causes: ['5 × not a number in "amount": line 3, line 4, line 5, …', '1 × required in "stage": line 2'],
    hidden: 2,
  })
  expect(lines).toEqual([
    '5 × not a number in "amount"',
    '  deals.csv, line 3: "1,2": expected better',
    '  deals.csv, line 4: "1,2": expected better',
    '  deals.csv, line 5: "1,2": expected better',
    '1 × required in "stage"',
    '  deals.csv, line 2: expected better',
  ])
})

test('ten causes are reported, the rest are counted, and memory does not grow with them', () => {
  const findings = createFindings()
  for (let at = 0; at < 50_000; at++) findings.add(finding(at, 'unknown_column', `c${at}`, 'x'.repeat(1_000)))
  expect(findings.count).toBe(50_000)
  expect(findings.groups().length).toBeLessThanOrEqual(1_001)
  expect(findings.groups().reduce((sum, { count }) => sum + count, 0)).toBe(50_000)
  const { lines, causes, hidden } = findingText('-', findings)
  expect(lines).toHaveLength(10 * 2 + 2 + 1)
  expect(causes.at(-1)).toMatch(/^… and \d+ more of \d+ other causes$/)
  const [, others] = /and (\d+) more/.exec(causes.at(-1) ?? '') ?? []
  expect(hidden + Number(others) + lines.filter((line) => line.startsWith('  ')).length).toBe(50_000)
  expect(findings.groups()[5]?.samples[0]?.value).toHaveLength(60)
})

test('twenty places are shown of all causes', () => {
  const findings = createFindings()
  for (let at = 0; at < 90; at++) findings.add(finding(at, 'not_a_number', `c${at % 9}`, 'x'))
  const { lines, hidden } = findingText('-', findings)
  expect(lines.filter((line) => line.startsWith('  '))).toHaveLength(20)
  expect(lines).toHaveLength(20 + 9)
  expect(hidden).toBe(70)
})

test('the summary states how a file is read and what its columns become', async () => {
  const { source } = await read({ bytes: '\ufeffName;E-Mail;Fax;version\r\nA;b;c;1\r\n', map: ['Fax='] })
  expect(summaryLines('people.csv', source.summary)).toEqual([
    'people.csv: csv, UTF-8 with a byte order mark, delimiter ;, lines end in CRLF',
    'Columns: Name → name, E-Mail → email',
    'Left out: Fax, version',
  ])
  const json = await read({ bytes: '{"name":"a"}\n', name: '-' })
  expect(summaryLines('-', json.source.summary)).toEqual(['stdin: jsonl, UTF-8', 'Columns: name'])
})
