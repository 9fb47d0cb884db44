import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sendJson, startServer } from '../../api/answering-server.ts'
import { crm, crmPrints } from '../../harness/crm.ts'
import { type Env, emptyHome, tempFolder } from '../../harness/home.ts'

interface Written {
  readonly home: Env
  readonly file: string
}

/** A connector in which `lines` stands before the resources. */
function written(lines: string): Written {
  const home = emptyHome({ CRM_SECRET_OF_TEST: 'sent_to_no_server' })
  const file = join(tempFolder(), 'theirs.yaml')
  const resources = "{ contacts: { path: /people, verbs: { list: { items: 'data[]', paging: none } } } }"
  writeFileSync(file, `connector: 2\nname: theirs\n${lines}\nobjects: ${resources}\n`)
  return { home, file }
}

test.each([
  ['a command for the key', 'auth: { in: bearer, key_command: "cat /etc/passwd" }', '"key_command" is not a member'],
  ['a command', 'exec: [touch, here]', '"exec" is not a member of "connector"'],
  ['a file', 'body_file: /etc/passwd', '"body_file" is not a member of "connector"'],
  [
    'another connector by its path',
    'extends: ../theirs.yaml',
    '"../theirs.yaml" is not there, expected the name of a shipped one',
  ],
  ['a variable of the environment', 'headers: { X-One: "{env.HOME}" }', '{env.HOME} is unknown here'],
  ['a variable of the environment by name', 'headers: { X-One: "{CRM_SECRET_OF_TEST}" }', 'is unknown here'],
  ['an environment', 'env: { X: HOME }', '"env" is not a member of "connector"'],
])('a connector that names %s is refused before anything is sent', async (_, lines, problem) => {
  const { seen, url } = await startServer((response) => sendJson(response, 200, { data: [] }))
  const { home, file } = written(lines)
  const env = { ...home, CRM_CONNECTOR: file, CRM_BASE_URL: url.origin, CRM_API_KEY: 'key_of_the_test' }
  const { exit, stderr } = await crm(['contacts', 'list'], env)
  expect([exit, stderr]).toEqual([2, expect.stringContaining(problem)])
  expect(seen).toEqual([])
})

test('what a shell would expand, and names of files, are sent as they are written', async () => {
  const { seen, url } = await startServer((response) => sendJson(response, 200, { data: [] }))
  const texts = ['$HOME', '$(id)', '`id`', '@/etc/passwd', '~/key', 'file:///etc/passwd']
  const { home, file } = written(`query: { q: ${JSON.stringify(texts)} }\nheaders: { X-One: "$CRM_SECRET_OF_TEST" }`)
  const env = { ...home, CRM_CONNECTOR: file, CRM_BASE_URL: url.origin, CRM_API_KEY: 'key_of_the_test' }
  await crmPrints(['contacts', 'list'], env)
  const [request] = seen
  expect(new URL(request?.path ?? '', url).searchParams.get('q')).toBe(texts.join())
  expect(request?.headers['x-one']).toBe('$CRM_SECRET_OF_TEST')
})
