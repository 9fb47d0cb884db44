import { type Client, graphql, LONG, manyth, NAMES, send } from './account.ts'

const PAGES = [
  '/v1/contacts?limit=7',
  '/v1/contacts?limit=7&owner_id=u_1',
  '/v1/deals?limit=1',
  '/v1/deals?stage=First',
  `/v1/deals?name=${encodeURIComponent(LONG)}`,
  '/v1/pipelines',
  '/v1/webhooks',
  '/v1/history?limit=50',
  '/v1/history?job=job_1',
  '/v1/fixture-runs',
  ...NAMES.map((name) => `/v1/contacts?company=${encodeURIComponent(name)}`),
]

const DELIVERIES = `query ($id: ID!) { webhook(id: $id) { deliveries(first: 100) {
  nodes { eventId kind recordId state attempts nextTryAt lastTryAt lastStatus lastError } } } }`

/** Everything that a client reads of an account: pages by their cursors, single records with their ETag, the log of deliveries. */
export async function observe(client: Client, url: string, webhookId: string): Promise<readonly string[]> {
  const seen: string[] = []
  for (const path of PAGES) {
    for (let next: string | null = path; next; ) {
      const { text } = await send(client, `${url}${next}`)
      seen.push(`${next} ${text}`)
      const { next_cursor: cursor } = JSON.parse(text)
      next = cursor ? `${path}&cursor=${cursor}` : null
    }
  }
  for (const { id } of JSON.parse((await send(client, `${url}/v1/deals`)).text).data) {
    seen.push((await send(client, `${url}/v1/deals/${id}/notes`)).text)
  }
  for (const { id } of JSON.parse((await send(client, `${url}/v1/contacts`)).text).data) {
    const { headers, text } = await send(client, `${url}/v1/contacts/${id}`)
    seen.push(`${headers.get('etag')} ${text}`)
  }
  seen.push(await graphql(client, url, DELIVERIES, { id: webhookId }))
  return seen
}

/** The answers to requests that are repeated under their idempotency keys. */
export async function repeat(client: Client, url: string): Promise<readonly string[]> {
  const answers: string[] = []
  for (const at of [0, 11, 24]) {
    const headers = { 'idempotency-key': `many-${at}` }
    const body = JSON.stringify(manyth(at))
    const answer = await send(client, `${url}/v1/contacts`, { method: 'POST', body, headers })
    answers.push(
      [answer.status, ...['location', 'etag'].map((name) => answer.headers.get(name)), answer.text].join(' '),
    )
  }
  return answers
}
