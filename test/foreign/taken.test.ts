import { expect, test } from 'vitest'
import { startForeign } from './run-shape.ts'

test('a row answered with a doubtful 2xx is sent once, also by a resume and by the same import once more', async () => {
  const { crm, seen } = await startForeign(
    ({ method, path }) => {
      if (method !== 'GET') return { status: 202, json: { status: 'accepted' } }
      return path === '/v1/contacts' ? { json: { data: [], next_cursor: null } } : { status: 404, json: {} }
    },
    undefined,
    'idempotency: { header: Idempotency-Key, life: 1s }',
  )
  const rows = 'name,email\nAda,ada@example.com\n'
  const load = () => crm(['contacts', 'import', '-', '--format', 'csv', '--run-id', 'one', '--yes'], rows)
  const first = await load()
  expect(first).toMatchObject({ exit: 7, stderr: expect.stringContaining('accepts the request without confirming it') })
  const [job = ''] = /job_\w+/.exec(first.stderr) ?? []
  expect(await crm(['jobs', 'resume', job])).toMatchObject({ exit: 3 })
  expect(await load()).toMatchObject({ exit: 3 })
  expect(
    await crm(['contacts', 'import', '-', '--format', 'csv', '--run-id', 'one', '--yes'], `${rows}Bob,b@x.test\n`),
  ).toMatchObject({ exit: 7 })
  const bodies = seen.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body).name)
  expect(bodies.filter((name) => name === 'Ada')).toHaveLength(1)
}, 60_000)
