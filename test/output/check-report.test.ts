import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { type CheckReport, githubText, junitText } from '../../src/output/check-report.ts'

const NASTY = 'a<b>&"c\'\u0000\u001b[2J\ufffe\ud800 100%\n]]>, d: e\r'

const REPORT: CheckReport = {
  name: 'crm fixtures plan',
  startedAtMs: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
  tookMs: 1234,
  checks: [
    { name: 'contacts.ada', place: { file: 'a, b: c.yaml', line: 3, column: 7 } },
    { name: NASTY, place: { file: 'demo.yaml', line: 4 }, failure: NASTY },
    { name: 'deals.big', note: 'create' },
  ],
}

/** By the parser of Python, as node has none: each element with its attributes, its text and what is in it. */
function parsed(xml: string): unknown {
  const script = `import json, sys, xml.etree.ElementTree as tree
def shown(each): return [each.tag, dict(each.attrib), (each.text or '').strip(), [shown(child) for child in each]]
print(json.dumps(shown(tree.fromstring(sys.stdin.buffer.read()))))`
  const { status, stdout, stderr } = spawnSync('python3', ['-c', script], { input: xml, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

const hasPython = spawnSync('python3', ['--version']).status === 0

test.skipIf(!hasPython)('JUnit is XML with all texts as they are, whatever they hold (skipped without python3)', () => {
  const clean = ['\0', '\x1b', '\ufffe', '\ud800'].reduce((text, each) => text.replace(each, '\ufffd'), NASTY)
  const counts = { name: 'crm fixtures plan', tests: '3', failures: '1', errors: '0', time: '1.234' }
  const passed = { name: 'contacts.ada', classname: 'crm fixtures plan', time: '0', file: 'a, b: c.yaml', line: '3' }
  const failed = { name: clean, classname: 'crm fixtures plan', time: '0', file: 'demo.yaml', line: '4' }
  const failure = { message: clean.split('\n')[0], type: 'failure' }
  const noted = { name: 'deals.big', classname: 'crm fixtures plan', time: '0' }
  const cases = [
    ['testcase', passed, '', []],
    ['testcase', failed, '', [['failure', failure, `demo.yaml:4: ${clean}`.trim(), []]]],
    ['testcase', noted, '', [['system-out', {}, 'create', []]]],
  ]
  const suite = ['testsuite', { ...counts, skipped: '0', timestamp: '2026-01-02T03:04:05' }, '', cases]
  expect(parsed(junitText(REPORT))).toEqual(['testsuites', counts, '', [suite]])
})

test('annotations of GitHub are one line each, and no text of a record can begin a command of its own', () => {
  const checks = [
    { name: 'x', place: { file: 'a, b: c.yaml', line: 3, column: 7 }, failure: '100%\n::error::forged' },
    { name: 'fine' },
    { name: 'y', note: 'create' },
  ]
  expect(githubText({ ...REPORT, checks })).toBe(
    [
      '::error file=a%2C b%3A c.yaml,line=3,col=7,title=x::100%25%0A::error::forged',
      '::notice title=y::create',
      '',
    ].join('\n'),
  )
  const many = Array.from({ length: 60 }, (_, at) => ({ name: `n${at}`, failure: 'no' }))
  const lines = githubText({ ...REPORT, checks: many })
    .trimEnd()
    .split('\n')
  expect(lines).toHaveLength(51)
  expect(lines.at(-1)).toBe('::notice title=crm fixtures plan::10 more are not shown')
})
