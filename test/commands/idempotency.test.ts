import { describe, expect, test } from 'vitest'
import { crm, crmPrints } from '../harness/crm.ts'
import { newDatabase } from '../harness/database.ts'
import { all, ask } from '../harness/records.ts'
import { startService } from '../harness/service.ts'

const KEYED = { 'idempotency-key': 'order-66' }

describe('one Idempotency-Key', () => {
  test('from 50 requests at once makes one record and 50 equal answers, and one more after the key was rotated', async () => {
    const database = await newDatabase()
    const service = await startService(['--database', database])
    const request = { method: 'POST', path: '/v1/contacts', body: { name: 'Ada' }, headers: KEYED }
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(service, request)))
    expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(201)
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(49)
    expect(await all(service, '/v1/contacts')).toEqual([answers[0]?.body])

    const keys = ['serve', 'keys', 'list', '-o', 'id', '--database', database]
    const keyId = (await crmPrints(keys, service.env)).trim()
    const rotate = ['serve', 'keys', 'rotate', keyId, '--database', database, '-o', 'json']
    const { key } = JSON.parse(await crmPrints(rotate, service.env))
    expect((await ask(service, request)).status).toBe(401)
    const replayed = await ask({ url: service.url, key }, request)
    expect(replayed).toMatchObject({ status: 201, body: answers[0]?.body })
    expect(replayed.headers.get('idempotent-replayed')).toBe('true')
    expect(await all({ ...service, key }, '/v1/contacts')).toHaveLength(1)
  })

  test('used twice through the CLI creates one record', async () => {
    const service = await startService()
    const args = ['contacts', 'create', '--set', 'name=Ada', '--idempotency-key', 'once', '-o', 'json']
    const [first, second] = [await crm(args, service.env), await crm(args, service.env)]
    expect(first).toMatchObject({ exit: 0, stderr: '' })
    expect(second).toEqual({ ...first, stderr: expect.stringContaining('the server repeated its answer') })
    expect(await all(service, '/v1/contacts')).toEqual([JSON.parse(first.stdout)])
  })

  test('used again for another record is 7, and creates none', async () => {
    const service = await startService()
    const create = (name: string) =>
      crm(['contacts', 'create', '--set', `name=${name}`, '--idempotency-key', 'once', '-o', 'json'], service.env)
    await create('Ada')
    const { exit, stdout, stderr } = await create('Bea')
    expect({ exit, stdout }).toEqual({ exit: 7, stdout: '' })
    expect(JSON.parse(stderr)).toMatchObject({ error: { status: 422 } })
    expect(await all(service, '/v1/contacts')).toHaveLength(1)
  })

  test('is made by the CLI itself for each write, so that two commands make two records', async () => {
    const service = await startService()
    const args = ['contacts', 'create', '--set', 'name=Ada', '-o', 'id']
    await Promise.all([crm(args, service.env), crm(args, service.env)])
    expect(await all(service, '/v1/contacts')).toHaveLength(2)
  })
})
