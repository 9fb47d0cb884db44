import { expect, test } from 'vitest'
import type { Api } from '../../src/api/api.ts'
import type { CrmRecord } from '../../src/core/resources/registry.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { NO_KEY, openClient, SERVER_TERMS } from '../api/client-fixture.ts'
import { plainAtService, plainOf } from './plain-of.ts'

const make =
  (names: readonly string[]) =>
  async (api: Api): Promise<void> => {
    for (const name of names) await api.contacts.create({ name, company: 'Acme' }, NO_KEY)
  }

async function all(api: Api): Promise<readonly CrmRecord[]> {
  const rows: CrmRecord[] = []
  for await (const { items } of api.contacts.list({})) rows.push(...items)
  return rows
}

const companies = async (api: Api) => (await all(api)).map(({ company }) => company)

test('plain lines say that the end is unknown, and r requests the list again', async () => {
  const rows = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `con_${at}`, name: `Row ${at}` }))
  let body: unknown = { data: rows(20), next_cursor: 'x' }
  const { url } = await startServer((response) => sendJson(response, 200, body))
  const { says, type, ended } = await plainOf(openClient(url, { terms: { ...SERVER_TERMS, pageSize: 100 } }).api)
  await says('10 of 20 or more.')
  type('')
  await says('20 of 20 or more.')
  type('')
  await says('Error: cannot list contacts: the server answers with records of an earlier page')
  type('/Row 19')
  await says('1 of 1 or more, found among the 20 loaded.\nError: cannot list contacts')
  body = { data: rows(21), next_cursor: null }
  type('/')
  await says('10 of 20 or more.')
  type('r')
  await says('10 of 21.')
  type('')
  await says('20 of 21.')
  type('')
  await says('21 of 21.')
  type('q')
  await ended
})

test('plain lines change one record after y, and undo takes that back', async () => {
  const { api, says, type } = await plainAtService(make(['Ada']))
  await says('1. Ada')
  type('edit 1 company="Analytical Engines"')
  const plan = await says('Type y to do it')
  expect(plan).toContain('Send 1 update to test?')
  expect(plan).toContain('Ada  company: Acme -> Analytical Engines')
  type('n')
  await says('Cancelled, nothing was sent.')
  expect(await companies(api)).toEqual(['Acme'])
  type('edit 1 company="Analytical Engines"')
  await says('Type y to do it')
  type('y')
  await says('Saved Ada')
  expect(await companies(api)).toEqual(['Analytical Engines'])
  type('undo')
  expect(await says('Type y to do it')).toContain('Ada  company: Analytical Engines -> Acme')
  type('y')
  await says('Undone: the change of Ada')
  expect(await companies(api)).toEqual(['Acme'])
})

test('more than 20 changes of plain lines need their number, are one job, and undo plans its reverse', async () => {
  const { api, jobs, says, type } = await plainAtService(make([...Array(25).keys()].map((at) => `N ${at}`)))
  await says('10 of 25.')
  type('edit all company=Bulk')
  expect(await says('Type 25 to do it')).toContain('company: Acme -> Bulk (25)')
  type('y')
  await says('Cancelled, nothing was sent.')
  type('edit all company=Bulk')
  await says('Type 25 to do it')
  type('25')
  await says('25 saved')
  expect(new Set(await companies(api))).toEqual(new Set(['Bulk']))
  expect(jobs.all()).toHaveLength(1)
  type('undo')
  expect(await says('Type 25 to do it')).toContain('company: Bulk -> Acme (25)')
  type('25')
  await says('25 of 25 done')
  expect(new Set(await companies(api))).toEqual(new Set(['Acme']))
})

test('a line typed before the question was asked does not answer it', async () => {
  const { api, says, type } = await plainAtService(make(['Ada']))
  await says('1. Ada')
  type('delete 1\ny')
  await says('Type y to do it')
  expect(await all(api)).toHaveLength(1)
  type('no')
  await says('Cancelled')
})

test('a number stays with its record when an earlier one was deleted', async () => {
  const { api, says, type } = await plainAtService(make(['Ada', 'Grace', 'Edith']))
  const listed = await says('3 of 3.')
  const third = /3\. (\w+)/.exec(listed)?.[1]
  type('delete 1')
  await says('Type y to do it')
  type('y')
  await says('Deleted')
  type('delete 3')
  expect(await says('Type y to do it')).toContain(`delete: ${third}`)
  type('y')
  await says(`Deleted ${third}`)
  expect(await all(api)).toHaveLength(1)
  type('undo')
  expect(await says('Type y to do it')).toContain(`created: ${third}`)
  type('y')
  await says('1 of 1 done')
  expect(await all(api)).toHaveLength(2)
})

test('a protected profile needs the number for a single change', async () => {
  const place = { text: 'prod', isProtected: true }
  const { says, type } = await plainAtService(make(['Ada']), { place })
  await says('Protected profile prod.')
  type('edit 1 company=X')
  await says('The profile is protected. Type 1 to do it')
})

test('plain lines refuse a misspelt member, a number that was not said and an unknown command', async () => {
  const { says, type } = await plainAtService(make(['Ada']))
  await says('1 of 1.')
  type('edit 1 compny=X')
  await says('Error: no contact that is loaded has a member compny; did you mean company?')
  type('edit 7 company=X')
  await says('Error: no row has the number 7')
  type('edti 1 company=X')
  await says('edti is not a command. Did you mean edit?')
  type('resume 1')
  await says('resume works in jobs.')
})

test('plain lines create a record, and undo deletes it', async () => {
  const { api, says, type } = await plainAtService(make([]))
  await says('No more contacts.')
  type('new nam=Ada')
  await says('did you mean name?')
  type('new name=Ada company="Analytical Engines"')
  expect(await says('Type y to do it')).toContain('company: (none) -> Analytical Engines')
  type('y')
  await says('Created Ada')
  expect(await companies(api)).toEqual(['Analytical Engines'])
  type('undo')
  await says('Type y to do it')
  type('y')
  await says('Undone: the creation of Ada')
  expect(await all(api)).toEqual([])
  type('redo')
  await says('Type y to do it')
  type('y')
  await says('Redone: the creation of Ada')
})

test('a change of others is said beside the one that was not saved', async () => {
  const { url } = await startServer((response, { method }) => {
    if (method === 'PATCH')
      return sendJson(response, 412, { error: { code: 'precondition_failed', message: 'changed since' } })
    return sendJson(response, 200, {
      data: [{ id: 'con_1', name: 'Ada', company: 'Acme', version: 1 }],
      next_cursor: null,
    })
  })
  const theirs = { id: 'con_1', name: 'Ada', company: 'Theirs', version: 2 }
  const findRecords = async () => new Map([['con_1', theirs]])
  const { says, type } = await plainOf(openClient(url).api, { findRecords })
  await says('1. Ada')
  type('edit 1 company=Yours')
  await says('Type y')
  type('y')
  await says('Ada: company theirs Theirs, yours Yours, before Acme')
})

test('plain lines have the stages of a pipeline, with the deals of each', async () => {
  const { says, type } = await plainAtService(async (api) => {
    for (const { name, stage } of [
      { name: 'One', stage: 'Won' },
      { name: 'Two', stage: 'Won' },
      { name: 'Three', stage: 'Lead' },
    ]) {
      await api.deals.create({ name, stage, pipeline_id: 'sales', amount: 100.5 }, NO_KEY)
    }
  })
  await says('No more contacts.')
  type('pipelines')
  const board = await says('Of 3 loaded deals.')
  expect(board).toMatch(/\d+\. Won: 2 deals, 201\n/)
  expect(board).toMatch(/\d+\. Lead: 1 deal, 100\.5\n/)
  type(String(/(\d+)\. Lead/.exec(board)?.[1]))
  const lead = await says('1 of 1.')
  expect(lead).toContain('1. Three')
  type('edit 1 stage=Won')
  await says('Type y')
  type('y')
  await says('Moved Three from Lead to Won')
  type('pipelines')
  await says('Won: 3 deals')
})

test('plain lines have jobs, their causes, and a correction of failed rows', async () => {
  const { api, says, type } = await plainAtService(async (_, jobs) => {
    const { paths } = await jobs.make(
      { kind: 'import', noun: 'deals', run: 'r', of: undefined },
      async (builder) =>
        void builder.add({ do: 'create', path: '/v1/deals', body: { name: 'A', stage: 'Lead', pipeline_id: 'nope' } }),
    )
    await jobs
      .of(paths)
      .run(
        { concurrency: undefined, rateShare: 1, maxErrors: undefined, maxOutageMs: 1_000 },
        { onStart: () => {}, onPause: () => {}, onEnd: () => {}, stop: new AbortController().signal },
      )
  })
  await says('No more contacts.')
  type('jobs')
  await says(/1\. job_\w+, finished, import deals, 0 of 1 done, 1 failed/)
  type('1')
  await says('cause 1: 1 x pipeline_id')
  type('correct 1 1 pipline_id=sales')
  await says('did you mean pipeline_id?')
  type('correct 1 1 pipeline_id=sales')
  await says('Type y')
  type('y')
  await says('1 of 1 done')
  const names: unknown[] = []
  for await (const { items } of api.deals.list({})) names.push(...items.map(({ name }) => name))
  expect(names).toEqual(['A'])
})
