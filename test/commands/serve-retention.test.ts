import { expect, test } from 'vitest'
import { emptyHome } from '../harness/home.ts'
import { expectRefusal } from '../harness/refusal.ts'
import { startService } from '../harness/service.ts'

test('serve --keep-idempotency is what the policy of every response and the OpenAPI document say', async () => {
  const { ownUrl } = await startService(['--keep-idempotency', '2h'])
  expect((await fetch(`${ownUrl}/healthz`)).headers.get('idempotency-policy')).toBe('"account";w=7200')
  expect(await (await fetch(`${ownUrl}/v1/openapi.json`)).text()).toContain('For 2 hours a request with the same key')
})

test.each(['--keep-events', '--keep-idempotency'])('serve refuses %s of less than a minute', async (flag) => {
  await expectRefusal(
    { args: ['serve', flag, '59s'], env: emptyHome() },
    { exit: 2, code: 'usage', what: /Expected 1m or more\./, next: /./ },
  )
})
