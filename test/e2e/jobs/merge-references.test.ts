import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { newDatabase } from '../../harness/database.ts'
import { tempFolder } from '../../harness/home.ts'
import { all, make } from '../../harness/records.ts'
import { type Service, startService } from '../../harness/service.ts'
import { crm, crmPrints, startCrm } from '../crm.ts'
import { startService as startServed } from '../service.ts'
import { holdWrites } from './holding-proxy.ts'

// Several processes each: a busy machine needs its time.
vi.setConfig({ testTimeout: 30_000 })

const EACH = 20

/** What deals and tasks name, by the names of contacts; and how often each was written. */
async function namedBy(service: Service) {
  const names = new Map((await all(service, '/v1/contacts')).map(({ id, name }) => [id, name]))
  const deals = (await all(service, '/v1/deals')).map((deal) => [
    names.get((deal.contact_ids as string[])[0]),
    deal.version,
  ])
  const tasks = (await all(service, '/v1/tasks')).map((task) => [names.get(task.contact_id), task.version])
  return [...deals, ...tasks]
}

// While deals are re-pointed, at the first task, among the tasks, and while losers are deleted; the same counts of the undo.
test.each([
  [8, 'resume'],
  [EACH, 'same'],
  [EACH + 8, 'resume'],
  [2 * EACH + 8, 'same'],
] as const)(
  'a merge killed after %i writes goes on by %s, and so does its undo, each record once',
  async (writes, how) => {
    const service = await startService(['--rate-limit', 'none'])
    const proxy = await holdWrites(service.url)
    const env = { ...service.env, CRM_BASE_URL: proxy.url, CRM_STATE_HOME: tempFolder() }
    const people = Array.from({ length: 2 * EACH }, (_, at) => ({ name: `P${at}` }))
    const ids = await make(service, '/v1/contacts', people)
    const losers = ids.filter((_, at) => at % 2 === 1)
    await make(
      service,
      '/v1/deals',
      losers.map((id) => ({ name: 'D', stage: 'Lead', contact_ids: [id] })),
    )
    await make(
      service,
      '/v1/tasks',
      losers.map((contact_id) => ({ title: 'T', contact_id })),
    )
    const before = await namedBy(service)
    const groups = join(env.CRM_STATE_HOME, 'groups.jsonl')
    writeFileSync(groups, losers.map((id, at) => JSON.stringify({ ids: [ids[2 * at], id] })).join('\n'))

    /** Runs a command that is killed after the writes, and then goes on. */
    async function killed(words: readonly string[]): Promise<Record<string, unknown>> {
      const isHeld = proxy.holdAfter(writes)
      const child = startCrm([...words, '-o', 'json'], env)
      await isHeld
      child.kill('SIGKILL')
      expect((await child.done).exit).toBe('SIGKILL')
      proxy.release()
      await proxy.settled()
      const [last = ''] = (await crmPrints(['jobs', 'list', '-o', 'id'], env)).split('\n')
      const more = await crm([...(how === 'same' ? words : ['jobs', 'resume', last]), '-o', 'json'], env)
      expect(more.exit, more.stderr).toBe(0)
      return JSON.parse(more.stdout)
    }

    const merge = ['contacts', 'merge', '--from', groups, '--yes', '--expect', String(EACH), '--concurrency', '2']
    const { job, ...account } = await killed(merge)
    expect(account).toMatchObject({ done: EACH, failed: 0, in_doubt: 0, repointed: 2 * EACH })
    expect(await namedBy(service)).toEqual(before.map(([name]) => [`P${Number(String(name).slice(1)) - 1}`, 2]))
    expect(await all(service, '/v1/contacts')).toHaveLength(EACH)

    const undo = await killed(['jobs', 'undo', String(job), '--yes', '--concurrency', '2'])
    expect(undo).toMatchObject({ failed: 0, in_doubt: 0, repointed: 2 * EACH })
    expect(await namedBy(service)).toEqual(before.map(([name]) => [name, 3]))
  },
)

test('records of objects that users described name the winner too, and their undo is part of the one', async () => {
  const folder = tempFolder()
  const file = join(folder, 'objects.yaml')
  const fields = 'serial: { unique: true }, owner: { to: contacts }, users: { to: contacts, many: true }'
  writeFileSync(file, `objects:\n  machines:\n    fields: { ${fields} }\n`)
  const service = await startServed(['--database', await newDatabase(), '--objects', file])
  const env = { ...service.env, CRM_STATE_HOME: join(folder, 'state') }
  const [ada, twice, bea] = await make(service, '/v1/contacts', [{ name: 'Ada' }, { name: 'Ada L.' }, { name: 'Bea' }])
  await make(service, '/v1/machines', [{ serial: 'S1', owner: twice, users: [bea, twice] }])
  const named = async () => {
    const names = new Map((await all(service, '/v1/contacts')).map(({ id, name }) => [id, name]))
    const [machine = {}] = await all(service, '/v1/machines')
    return [machine.owner, ...(machine.users as string[])].map((id) => names.get(id))
  }
  const words = ['contacts', 'merge', String(ada), String(twice), '--yes', '-o', 'json']
  const { job, repointed } = JSON.parse(await crmPrints(words, env))
  expect(repointed).toBe(1)
  expect(await named()).toEqual(['Ada', 'Bea', 'Ada'])
  await crmPrints(['jobs', 'undo', job, '--yes'], env)
  expect(await named()).toEqual(['Ada L.', 'Bea', 'Ada L.'])
})
