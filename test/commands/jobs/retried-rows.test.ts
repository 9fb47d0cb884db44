import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileIn, KEEPS_NO_KEYS, startForeign } from '../../foreign/run-shape.ts'
import { crm, crmPrints } from '../../harness/crm.ts'
import { tempFolder } from '../../harness/home.ts'
import { jobsIn, onlyJob, runJob } from '../../harness/import-run.ts'
import { startProxy } from '../../harness/proxy.ts'
import { all } from '../../harness/records.ts'
import { startService } from '../../harness/service.ts'
import { jobsAt } from '../../ui/jobs-at.ts'
import { serviceHome } from '../service-home.ts'

const TERMS = { concurrency: undefined, rateShare: 1, maxErrors: undefined, maxOutageMs: 1_000 }
const NO_HOOKS = { onStart: () => {}, onPause: () => {}, onEnd: () => {} }

/** More than a deal may hold. */
const TOO_LONG = 'x'.repeat(70_000)

/** A job whose three rows failed for one cause, and its failed rows. */
async function threeFailed() {
  const service = await startService(['--rate-limit', 'none'])
  const folder = tempFolder()
  const env = { ...service.env, CRM_STATE_HOME: join(folder, 'state') }
  const file = join(folder, 'deals.csv')
  writeFileSync(
    file,
    `name,stage,pipeline_id,big\nOne,Lead,pipe_x,${TOO_LONG}\nTwo,Lead,pipe_x,1\nThree,Lead,pipe_x,1\n`,
  )
  const imported = await runJob(['deals', 'import', file, '--yes'], env)
  expect(imported).toMatchObject({ exit: 3, account: { failed: 3 } })
  const job = onlyJob(env.CRM_STATE_HOME)
  const jobs = await jobsAt(new URL(service.url), service.key, undefined, { home: env })
  const correct = async (id: string, members: Record<string, string>, isMeant = (name: unknown) => name !== '') => {
    const made = await jobs.plan('correction', {
      paths: jobs.find(id),
      correct: (_, body) => (isMeant(body.name) ? { ...body, ...members } : undefined),
    })
    return { made, send: async () => (await jobs.of(made.job.paths).run(TERMS, NO_HOOKS)).account }
  }
  const names = async () => (await all(service, '/v1/deals')).map(({ name }) => name).toSorted()
  const shown = async (id: string) => JSON.parse(await crmPrints(['jobs', 'show', id, '-o', 'json'], env))
  return {
    service,
    env,
    imported,
    job,
    jobs,
    correct,
    names,
    shown,
    failed: join(env.CRM_STATE_HOME, 'jobs', `${job}.failed.csv`),
  }
}

test('a row that the retry of a retry has sent is offered by no job that it failed in', async () => {
  const { job, jobs, correct, names, shown } = await threeFailed()
  const first = await correct(job, { pipeline_id: 'sales' })
  expect(await first.send()).toMatchObject({ done: 2, failed: 1 })
  expect(await shown(job)).toMatchObject({ failed: 3, still_failed: 1 })
  const second = await correct(first.made.job.paths.id, { big: 'short' })
  expect(await second.send()).toMatchObject({ rows: 1, done: 1 })
  for (const id of [job, first.made.job.paths.id]) {
    await expect(correct(id, { pipeline_id: 'sales' })).rejects.toThrow('is left to correct')
    expect(await jobs.left(await jobs.of(jobs.find(id)).state()).count()).toBe(0)
  }
  expect(await names()).toEqual(['One', 'Three', 'Two'])
})

test('a row that failed again is corrected and retried as it was sent last', async () => {
  const { env, job, correct, names } = await threeFailed()
  expect(await (await correct(job, { pipeline_id: 'sales' })).send()).toMatchObject({ done: 2, failed: 1 })
  // It is still too long, and its pipeline is right.
  const retried = await runJob(['jobs', 'retry', job, '--yes'], env)
  expect(retried).toMatchObject({ exit: 3, account: { rows: 1, failed: 1 } })
  const { made, send } = await correct(job, { big: 'short' })
  expect(made.samples).toMatchObject([{ after: { name: 'One', big: 'short', pipeline_id: 'sales' } }])
  expect(await send()).toMatchObject({ rows: 1, done: 1 })
  expect(await names()).toEqual(['One', 'Three', 'Two'])
})

test('crm jobs retry sends what several corrections left, and nothing that one of them has done', async () => {
  const { env, job, correct, names } = await threeFailed()
  await (await correct(job, { pipeline_id: 'sales' }, (name) => name === 'Two')).send()
  await (await correct(job, { pipeline_id: 'sales', big: 'short' }, (name) => name === 'One')).send()
  expect(await runJob(['jobs', 'retry', job, '--yes'], env)).toMatchObject({ exit: 3, account: { rows: 1, failed: 1 } })
  expect(await names()).toEqual(['One', 'Two'])
  await (await correct(job, { pipeline_id: 'sales' })).send()
  expect(await names()).toEqual(['One', 'Three', 'Two'])
  expect(await crm(['jobs', 'retry', job, '--yes'], env)).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining('has already done this'),
  })
})

test('a file of failed rows sends no row that a correction has done, whatever it says by then', async () => {
  const { env, job, failed, correct, names } = await threeFailed()
  await (await correct(job, { pipeline_id: 'sales' }, (name) => name !== 'One')).send()
  const text = readFileSync(failed, 'utf8').replaceAll('pipe_x', 'sales').replace(TOO_LONG, 'short')
  writeFileSync(failed, text.replace('Two,Lead', 'Two,Won'))
  const args = ['jobs', 'retry', job, '--from', failed, '--yes']
  const retried = await runJob(args, env)
  expect(retried).toMatchObject({ exit: 0, account: { rows: 3, done: 1, skipped: 2 } })
  expect(await names()).toEqual(['One', 'Three', 'Two'])
  writeFileSync(failed, readFileSync(failed, 'utf8').replace('One,Lead', 'One,Won'))
  expect(await runJob(args, env)).toMatchObject({ exit: 0, account: { done: 0, skipped: 3 } })
  await expect(correct(job, { pipeline_id: 'sales' })).rejects.toThrow('is left to correct')
  expect(await names()).toEqual(['One', 'Three', 'Two'])
})

test('rows of a retry that was stopped are sent by that retry alone', async () => {
  const { job, jobs, correct, env, failed } = await threeFailed()
  const { made } = await correct(job, { pipeline_id: 'sales' })
  const stop = new AbortController()
  stop.abort()
  await jobs.of(made.job.paths).run(TERMS, { ...NO_HOOKS, onStart: () => stop.abort(), stop: stop.signal })
  expect((await jobs.of(made.job.paths).state()).state).toBe('stopped')
  const id = made.job.paths.id
  await expect(correct(job, { pipeline_id: 'sales' })).rejects.toThrow(`${id}, which retries rows of ${job}, has not`)
  for (const from of [[], ['--from', failed]]) {
    const { stderr } = await crm(['jobs', 'retry', job, ...from, '--dry-run'], env)
    expect(stderr).toContain(id)
  }
})

test('a plan that was not sent is dropped when the rows are corrected anew', async () => {
  const { env, job, correct } = await threeFailed()
  const { made } = await correct(job, { pipeline_id: 'sales' })
  await correct(job, { pipeline_id: 'sales', big: 'short' })
  expect(readdirSync(join(env.CRM_STATE_HOME, 'jobs'))).not.toContain(made.job.paths.id)
})

test('an edited row whose create is in doubt is not created anew, and the error names what settles it', async () => {
  const made: string[] = []
  const contacts: { id: string; [name: string]: string }[] = []
  const { crm, folder } = await startForeign(
    ({ method, path, body }) => {
      if (!path.startsWith('/v1/contacts')) return { status: 404, json: {} }
      if (method === 'GET') return { json: { data: contacts, next_cursor: null } }
      const row = JSON.parse(body)
      if (row.name === 'Cyd') return { status: 422, json: {} }
      made.push(row.name)
      const record = { id: `c_${made.length}`, ...row, created_at: new Date().toISOString() }
      // The server keeps another name than the one that was sent.
      contacts.push(row.name === 'Bob' ? { ...record, name: 'Robert' } : record)
      return row.name === 'Bob' ? { status: 500, json: {} } : { status: 201, json: record }
    },
    undefined,
    KEEPS_NO_KEYS,
  )
  const rows = fileIn(folder, 'rows.csv', 'email,name\nada@x.test,Ada\nbob@x.test,Bob\ncyd@x.test,Cyd\n')
  const first = await crm(['contacts', 'import', rows, '--yes', '-o', 'json'])
  expect(first.exit, first.stderr).toBe(3)
  expect(JSON.parse(first.stdout)).toMatchObject({ done: 1, in_doubt: 1, failed: 1 })
  const [job] = JSON.parse((await crm(['jobs', 'list', '-o', 'json'])).stdout)
  const shown = JSON.parse((await crm(['jobs', 'show', job.id, '-o', 'json'])).stdout)
  const failed = String(shown.file).replace('.db', '.failed.csv')
  const sent = made.length
  const edited = readFileSync(failed, 'utf8').replace(',Cyd\n', ',Cy\n').replace(',Bob\n', ',Bobby\n')
  writeFileSync(failed, edited)
  const refused = await crm(['jobs', 'retry', job.id, '--from', failed, '--yes'])
  expect(refused).toMatchObject({ exit: 7, stderr: expect.stringContaining(`is in doubt in ${job.id}`) })
  expect(refused.stderr).toContain(`crm jobs resume ${job.id}`)
  expect(made).toHaveLength(sent)
  writeFileSync(
    failed,
    edited
      .split('\n')
      .filter((line) => !line.includes('Bobby'))
      .join('\n'),
  )
  expect(await crm(['jobs', 'retry', job.id, '--from', failed, '--yes'])).toMatchObject({ exit: 0 })
  expect(made.slice(sent)).toEqual(['Cy'])
})

test('jobs failed leaves out what retries have done since, and counts it by retry', async () => {
  const { env, job, failed, correct } = await threeFailed()
  await (await correct(job, { pipeline_id: 'sales' }, (name) => name === 'Two')).send()
  const [second = ''] = (await crm(['jobs', 'list', '-o', 'id'], env)).stdout.split('\n')
  const rows = await crm(['jobs', 'failed', job, '-o', 'json'], env)
  expect(JSON.parse(rows.stdout)).toHaveLength(2)
  expect(rows.stderr).toContain(`1 row was done by ${second} since, and not listed.`)
  expect(readFileSync(failed, 'utf8')).not.toContain('Two')
  await (await correct(job, { pipeline_id: 'sales', big: 'short' })).send()
  const none = await crm(['jobs', 'failed', job, '-o', 'json'], env)
  expect(JSON.parse(none.stdout)).toEqual([])
  expect(none.stderr.match(/since, and not listed/g)).toHaveLength(2)
  expect(none.stderr).not.toContain('failed.csv')
})

test('an import with failed rows names the command that sends them corrected, and it works as typed', async () => {
  const { env, imported, names } = await threeFailed()
  const [, words = ''] = /then: crm (jobs retry job_\w+ --from \S+)/.exec(imported.stderr) ?? []
  const [, , , , file = ''] = words.split(' ')
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('pipe_x', 'sales').replace(TOO_LONG, 'short'))
  expect(await runJob([...words.split(' '), '--yes'], env)).toMatchObject({ exit: 0, account: { done: 3 } })
  expect(await names()).toEqual(['One', 'Three', 'Two'])
})

test('a row whose record has the corrected values by now leaves the failed rows, as one that its retry sent', async () => {
  const service = await startService(['--rate-limit', 'none'])
  const folder = tempFolder()
  const env = { ...service.env, CRM_STATE_HOME: join(folder, 'state') }
  const file = fileIn(folder, 'people.csv', `email,name,big\nada@x.test,Ada,1\nbob@x.test,Bob,${TOO_LONG}\n`)
  const line = ['contacts', 'import', file, '--match', 'email', '--yes']
  expect(await runJob(line, env)).toMatchObject({ exit: 3, account: { done: 1, failed: 1 } })
  const job = onlyJob(env.CRM_STATE_HOME)
  const bob = fileIn(folder, 'bob.json', '[{"email":"bob@x.test","name":"Bob","big":"short"}]')
  await crmPrints(['contacts', 'import', bob, '--yes'], { ...env, CRM_STATE_HOME: join(folder, 'other') })
  const failed = join(env.CRM_STATE_HOME, 'jobs', `${job}.failed.csv`)
  writeFileSync(failed, readFileSync(failed, 'utf8').replace(TOO_LONG, 'short'))
  const retried = await runJob(['jobs', 'retry', job, '--from', failed, '--yes'], env)
  expect(retried, retried.stderr).toMatchObject({ exit: 0, account: { rows: 1, unchanged: 1 } })
  const rows = await crm(['jobs', 'failed', job, '-o', 'json'], env)
  expect(JSON.parse(rows.stdout)).toEqual([])
  expect(rows.stderr).toContain('1 row was done by')
  expect(JSON.parse(await crmPrints(['jobs', 'show', job, '-o', 'json'], env))).toMatchObject({ still_failed: 0 })
  const [retry = ''] = (await crm(['jobs', 'list', '-o', 'id'], env)).stdout.split('\n')
  expect(await crmPrints(['jobs', 'failed', retry, '--skipped', '-o', 'id'], env)).toBe('')
  expect(await crm(['jobs', 'retry', job, '--yes'], env)).toMatchObject({
    exit: 7,
    stderr: expect.stringContaining('were already sent from'),
  })
})

test('a row whose retry was undone is failed again, and the same retry sends it', async () => {
  const { env, job, names, shown, failed } = await threeFailed()
  const file = join(tempFolder(), 'fixed.csv')
  const [head = '', , two = '', three = ''] = readFileSync(failed, 'utf8').split('\n')
  writeFileSync(file, `${head}\n${[two, three].map((line) => line.replaceAll('pipe_x', 'sales')).join('\n')}\n`)
  const retry = ['jobs', 'retry', job, '--from', file, '--yes']
  expect(await runJob(retry, env)).toMatchObject({ exit: 0, account: { done: 2 } })
  const sent = jobsIn(env.CRM_STATE_HOME).find((id) => id !== job) ?? ''
  expect((await crm(['jobs', 'undo', sent, '--yes', '--expect', '2'], env)).exit).toBe(0)
  expect(await names()).toEqual([])
  expect(await shown(job)).toMatchObject({ still_failed: 3 })
  expect(await runJob(retry, env)).toMatchObject({ exit: 0, account: { rows: 2, done: 2 } })
  expect(await names()).toEqual(['Three', 'Two'])
  expect(await shown(job)).toMatchObject({ still_failed: 1 })
})

test('a row without _crm_line that has the cells of a failed one leaves the failed rows, and is not sent twice', async () => {
  const { service, env, json, crm, file } = await serviceHome()
  let refusals = 2
  const url = await startProxy(service.url, (method) => (method === 'POST' && refusals-- > 0 ? 422 : undefined))
  Object.assign(env, { CRM_BASE_URL: url })
  const rows = file('rows.csv', 'name,email\nAda,ada@x.test\nBob,bob@x.test\n')
  expect(await crm('contacts', 'import', rows, '--yes', '--concurrency', '1')).toMatchObject({ exit: 3 })
  const [{ id }] = await json('jobs', 'list')
  const some = file('some.csv', 'email,name\nada@x.test,Ada\n')
  expect(await json('jobs', 'retry', id, '--from', some, '--yes')).toMatchObject({ rows: 1, done: 1 })
  expect(await json('jobs', 'failed', id)).toMatchObject([{ line: 3 }])
  const more = file('more.csv', 'email,name\nada@x.test,Ada\nbob@x.test,Bob\n')
  expect(await json('jobs', 'retry', id, '--from', more, '--yes')).toMatchObject({ done: 1, skipped: 1 })
  expect(await json('jobs', 'failed', id)).toEqual([])
  expect(await json('contacts', 'list')).toHaveLength(2)
})

test('two rows that name one line of the job are refused, and nothing is sent', async () => {
  const { env, job, names, failed } = await threeFailed()
  const file = join(tempFolder(), 'twice.csv')
  const [head = '', , two = ''] = readFileSync(failed, 'utf8').split('\n')
  const fixed = two.replaceAll('pipe_x', 'sales')
  writeFileSync(file, `${head}\n${fixed}\n${fixed.replace(',Two,', ',Second,')}\n`)
  expect(await crm(['jobs', 'retry', job, '--from', file, '--yes'], env)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining(`lines 2 and 3 both name line 3 of ${job} in _crm_line`),
  })
  expect(await names()).toEqual([])
})

test('a numbered column of --map is the same one in the file of failed rows', async () => {
  const service = await startService(['--rate-limit', 'none'])
  const folder = tempFolder()
  const env = { ...service.env, CRM_STATE_HOME: join(folder, 'state') }
  const file = join(folder, 'deals.csv')
  writeFileSync(file, 'name,T,pipeline_id,stage\nOne,u_ines,pipe_x,Lead\n')
  expect((await runJob(['deals', 'import', file, '--map', '#2=owner_id', '--yes'], env)).exit).toBe(3)
  const job = onlyJob(env.CRM_STATE_HOME)
  const failed = join(env.CRM_STATE_HOME, 'jobs', `${job}.failed.csv`)
  writeFileSync(failed, readFileSync(failed, 'utf8').replace(/pipe_x,Lead/, 'sales,Lead'))
  expect(await runJob(['jobs', 'retry', job, '--from', failed, '--yes'], env)).toMatchObject({ exit: 0 })
  const [deal = {}] = await all(service, '/v1/deals')
  expect(deal).toMatchObject({ name: 'One', owner_id: 'u_ines', pipeline_id: 'sales' })
  expect(deal).not.toHaveProperty('T')
})
