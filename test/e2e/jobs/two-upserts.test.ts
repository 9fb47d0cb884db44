import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { startCrm, tempFolder } from '../crm.ts'
import { all, make } from '../records.ts'
import { startService } from '../service.ts'
import { holdWrites } from './holding-proxy.ts'
import { emailsOf, emailsOn, onlyJob, runJob, somePeople, writePeople } from './import-run.ts'

// Several processes each: a busy machine needs its time.
vi.setConfig({ testTimeout: 60_000 })

test('two upserts at once on unique emails end with one contact each, and an undo leaves what was there', async () => {
  const folder = tempFolder()
  const service = await startService(['--rate-limit', 'none', '--unique', 'contacts.email'])
  const proxy = await holdWrites(service.url)
  const people = somePeople(40).map((person) => ({ ...person, company: 'File' }))
  const state = join(folder, 'state')
  const env = { ...service.env, CRM_BASE_URL: proxy.url, CRM_STATE_HOME: state }
  const child = startCrm(['contacts', 'import', writePeople(folder, people), '--match', 'email', '--yes'], env)
  await proxy.firstWrite
  const [first, ...others] = people.slice(0, 30).map(({ email, name }) => ({ email: email.toUpperCase(), name }))
  const [gone] = await make(service, '/v1/contacts', [{ ...first, phone: '1' }])
  await make(service, '/v1/contacts', others)
  proxy.release()
  expect((await child.done).exit).toBe(0)
  expect((await emailsOn(service)).map((email) => email.toLowerCase())).toEqual(emailsOf(people))
  const contacts = await all(service, '/v1/contacts')
  expect(contacts.every(({ company }) => company === 'File')).toBe(true)
  expect(contacts.find(({ id }) => id === gone)).toMatchObject({ phone: '1' })

  const undone = await runJob(['jobs', 'undo', onlyJob(state), '--yes', '--expect', '10'], env)
  expect(undone).toMatchObject({ exit: 3, account: { done: 10, skipped: 30 } })
  expect(undone.stderr).toContain('30 cannot be taken back')
  expect(await all(service, '/v1/contacts')).toHaveLength(30)
})
