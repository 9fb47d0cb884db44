import { expect, test } from 'vitest'
import { serveForTest } from '../serve-for-test.ts'

test('both probes answer without a key', async () => {
  const { send } = await serveForTest()
  const nobody = { authorization: '' }
  expect(await send('GET', '/healthz', undefined, nobody)).toMatchObject({ status: 200, text: '{"status":"ok"}' })
  expect(await send('GET', '/readyz', undefined, nobody)).toMatchObject({ status: 200, text: '{"status":"ready"}' })
})
