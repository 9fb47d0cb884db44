import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { judgeVendor } from '../../scripts/vendor-mocks/judge.ts'
import { VENDORS } from '../../scripts/vendor-mocks/vendors.ts'
import { tempFolder } from '../harness/home.ts'
import { PRISM } from '../harness/prism.ts'

const SUBSCRIPTIONS = [{ event_type: 'note.created', filter: null }]
const ANSWER = {
  data: {
    id: { webhook_id: 'w1' },
    target_url: 'https://hooks.engines.test/crm',
    subscriptions: SUBSCRIPTIONS,
    status: 'active',
  },
}

/** Has the creation of webhooks alone, with these required members. */
function documentRequiring(required: readonly string[]): object {
  const data = { type: 'object', required }
  const sent = { type: 'object', required: ['data'], properties: { data } }
  const post = {
    requestBody: { required: true, content: { 'application/json': { schema: sent } } },
    responses: { 200: { description: 'made', content: { 'application/json': { example: ANSWER } } } },
  }
  return { openapi: '3.0.3', info: { title: 'A vendor', version: '1' }, paths: { '/v2/webhooks': { post } } }
}

async function judged(required: readonly string[]) {
  const folder = tempFolder()
  writeFileSync(join(folder, 'attio.json'), JSON.stringify(documentRequiring(required)))
  const vendor = VENDORS.find(({ connector }) => connector === 'attio')
  if (!vendor) throw new Error('attio is no vendor')
  const results = await judgeVendor(folder, vendor)
  return (name: string) => results.find(({ operation }) => operation === name)
}

test.skipIf(!existsSync(PRISM))(
  'a request that a vendor’s document accepts works, and one without a path is a miss',
  async () => {
    const of = await judged(['target_url', 'subscriptions'])
    expect(of('webhooks create')).toMatchObject({ state: 'ok', note: '' })
    expect(of('contacts delete')).toMatchObject({ state: 'miss' })
    expect(of('contacts list')).toMatchObject({ state: 'miss', note: expect.stringContaining('Route not resolved') })
  },
)

test.skipIf(!existsSync(PRISM))(
  'a request that breaks a vendor’s document is a miss that names the member',
  async () => {
    const of = await judged(['target_url', 'nickname'])
    expect(of('webhooks create')).toMatchObject({
      state: 'miss',
      note: expect.stringMatching(/POST \/v2\/webhooks: body\.data: .*'nickname'/),
    })
  },
)
