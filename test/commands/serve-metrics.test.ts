import { expect, test } from 'vitest'
import { emptyHome } from '../harness/home.ts'
import { expectRefusal } from '../harness/refusal.ts'
import { startService } from '../harness/service.ts'

const URL_SAID = /Metrics are at (http:\/\/127\.0\.0\.1:\d+\/metrics)\n/

test('serve --metrics-port serves them on loopback, without a key, until it stops', async () => {
  const service = await startService(['--metrics-port', '0'])
  const [, url = ''] = URL_SAID.exec(service.said()) ?? []
  await fetch(`${service.ownUrl}/healthz`)
  expect(await (await fetch(url)).text()).toMatch(/_count\{method="GET",route="\/healthz",status="200"\} \d+\n/)
  expect((await fetch(`${service.ownUrl}/metrics`)).status).toBe(404)
  await service.stop()
  await expect(fetch(url)).rejects.toThrow('fetch failed')
})

test('serve without it has no /metrics anywhere', async () => {
  const service = await startService()
  expect(service.said()).not.toContain('Metrics')
})

test('serve refuses --metrics-host without --metrics-port', async () => {
  await expectRefusal(
    { args: ['serve', '--metrics-host', '0.0.0.0'], env: emptyHome() },
    { exit: 2, code: 'usage', what: /--metrics-host needs --metrics-port/, next: /--metrics-port 9464/ },
  )
})

test('a metrics port in use makes no database, and names the flag', async () => {
  const service = await startService(['--metrics-port', '0'])
  const [, url = ''] = URL_SAID.exec(service.said()) ?? []
  await expectRefusal(
    { args: ['serve', '--port', '0', '--metrics-port', new URL(url).port], env: emptyHome() },
    { exit: 13, code: 'machine', what: /cannot listen on 127\.0\.0\.1:\d+/, next: /--metrics-port 0/ },
  )
})
