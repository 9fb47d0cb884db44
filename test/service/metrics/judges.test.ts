import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { type Measured, serveMeasured } from './scrape.ts'

const HAS_PROMTOOL = spawnSync('promtool', ['--version']).status === 0
const PARSER = 'from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse'
/** Debian's Python alone sees the package. */
const PYTHON = '/usr/bin/python3'
const HAS_PARSER = spawnSync(PYTHON, ['-c', PARSER]).status === 0

const ALERTS = new URL('../../../docs/operation/alerts.yml', import.meta.url).pathname
const ALERT_TESTS = new URL('alerts.yml', import.meta.url).pathname

function run(program: string, args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync(program, args, { input, encoding: 'utf8' })
  return { status, said: `${stdout}${stderr}` }
}

async function used(): Promise<Measured> {
  const service = await serveMeasured({ rateLimit: { requests: 2, windowMs: 60_000_000 } })
  await service.send('POST', '/v1/contacts', { name: 'Ada' })
  for (const path of ['/v1/contacts', '/v1/contacts', '/v1/nothing']) await service.send('GET', path)
  return service
}

test.skipIf(!HAS_PROMTOOL)('promtool accepts the alerts (skipped without promtool)', () => {
  expect(run('promtool', ['check', 'rules', ALERTS])).toEqual({ status: 0, said: expect.stringContaining('SUCCESS') })
})

test.skipIf(!HAS_PROMTOOL)('alerts that page fire for their cause alone (skipped without promtool)', () => {
  const { status, said } = run('promtool', ['test', 'rules', ALERT_TESTS])
  expect({ status, said }).toEqual({ status: 0, said: expect.stringContaining('SUCCESS') })
})

test.skipIf(!HAS_PROMTOOL)('promtool has nothing to say about a scrape (skipped without promtool)', async () => {
  const text = await (await used()).scrape('text/plain')
  expect(run('promtool', ['check', 'metrics'], text)).toEqual({ status: 0, said: '' })
})

test.skipIf(!HAS_PARSER)(
  'the strict parser of the Python client reads a scrape as OpenMetrics (skipped without python3-prometheus-client)',
  async () => {
    const script = `${PARSER}\nimport sys\nfor each in parse(sys.stdin.read()): print(each.name)`
    const { status, said } = run(PYTHON, ['-c', script], await (await used()).scrape())
    expect({ status, said }).toMatchObject({
      status: 0,
      said: expect.stringContaining('crm_http_request_duration_seconds'),
    })
  },
)

test.skipIf(!HAS_PROMTOOL)('every metric that an alert names is in a scrape (skipped without promtool)', async () => {
  const { readFileSync } = await import('node:fs')
  const text = await (await used()).scrape()
  const named = readFileSync(ALERTS, 'utf8').match(/\b(?:crm|process|nodejs)_[a-z0-9_]+\b/g) ?? []
  for (const name of new Set(named)) expect(text).toMatch(new RegExp(`^${name}[ {]`, 'm'))
})
