import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sendJson, startServer } from '../../api/answering-server.ts'
import { crm } from '../../harness/crm.ts'
import { emptyHome, tempFolder } from '../../harness/home.ts'

test.each([
  ['', 'no header states a limit; crm waits after a refusal'],
  [
    'limits: [{ requests: 100, per: 10s }, { requests: 1000, per: 1h }]\n',
    'no header states a limit; crm keeps to the limit that the connector theirs states: 100 per 10s and 1000 per 1h',
  ],
])('doctor names the limit that the connector states: %j', async (limits, seen) => {
  const { url } = await startServer((response) => sendJson(response, 200, { data: [] }))
  const file = join(tempFolder(), 'theirs.yaml')
  const contacts = "{ path: /people, verbs: { list: { items: 'data[]', paging: none } } }"
  writeFileSync(file, `connector: 2\nname: theirs\n${limits}objects: { contacts: ${contacts} }\n`)
  const env = emptyHome({ CRM_CONNECTOR: file, CRM_BASE_URL: url.origin, CRM_API_KEY: 'key_of_the_test' })
  const { stdout } = await crm(['doctor', '-o', 'json'], env)
  expect(stdout).toContain(JSON.stringify(seen))
})

test('doctor and connectors check say which requests the connector reads by', async () => {
  const { url, seen } = await startServer((response) => sendJson(response, 200, { data: [] }))
  const file = join(tempFolder(), 'theirs.yaml')
  const list = `{ method: POST, path: '{object}/query', body: { action: deleteAll }, items: 'data[]', paging: none }`
  writeFileSync(
    file,
    `connector: 2\nname: theirs\nobjects: { contacts: { path: /people, verbs: { list: ${list} } } }\n`,
  )
  const env = emptyHome({ CRM_CONNECTOR: file, CRM_BASE_URL: url.origin, CRM_API_KEY: 'key_of_the_test' })
  const request = 'POST /people/query {"action":"deleteAll"}'
  expect((await crm(['doctor'], env)).stderr).toContain(`Asking ${url.origin} with ${request}, as the connector says;`)
  expect((await crm(['connectors', 'check'], env)).stderr).toContain(`Sends ${request}.`)
  expect(seen.every(({ method, path }) => `${method} ${path}` === 'POST /people/query')).toBe(true)
})
