import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import type { CrmRecord } from '../../src/core/resources/registry.ts'
import { reportFailures } from '../../src/jobs/history/failed-file.ts'
import type { InputRow, RowSource } from '../../src/jobs/input/row.ts'
import { Existing } from '../../src/jobs/plan/existing.ts'
import { makeJob } from '../../src/jobs/plan/make-job.ts'
import { matchKey } from '../../src/jobs/plan/match-keys.ts'
import { matchRow, OverruledMembers } from '../../src/jobs/plan/match-rows.ts'
import { createOf } from '../../src/jobs/plan/plan-builder.ts'
import type { PlanningContext } from '../../src/jobs/plan/planning.ts'
import { Scratch } from '../../src/jobs/plan/scratch.ts'
import { sendJson, startServer } from '../api/answering-server.ts'
import { tempFolder } from '../files/temp-folder.ts'
import { ACCOUNT, sendJob, TERMS } from './job-fixture.ts'
import { leaveLease } from './left-lease.ts'

const FAILED = {
  code: 'ambiguous_match',
  field: 'email',
  reason: 'it matched 2 contacts by email: con_1, con_2',
} as const

const row = (line: number, email: string): InputRow => ({
  ...{ line, offset: 0, length: 1, id: undefined, parent: undefined, earlierLine: undefined },
  fields: { email, name: 'New' },
})

/** Three rows, the second of which is ambiguous. */
async function makeMixed() {
  const folder = await tempFolder()
  const world: Partial<PlanningContext> = {
    ...{ account: ACCOUNT, version: '0', command: [] },
    draftsFolder: folder,
    nowMs: Date.now,
  }
  const identity = { kind: 'import', noun: 'contacts', run: 'run', of: undefined } as const
  const { paths, end } = await makeJob(world as PlanningContext, identity, async (builder) => {
    builder.add(createOf('contacts', row(2, 'b@x.test')))
    builder.fail({ do: 'fail', path: '/v1/contacts', line: 3, at: [9, 9], failed: FAILED })
    builder.add(createOf('contacts', row(4, 'c@x.test')))
  })
  return { paths, end }
}

function startAnswering() {
  return startServer((response, { method }, nth) =>
    method === 'GET'
      ? sendJson(response, 200, { data: [], next_cursor: null })
      : sendJson(response, 201, { id: `con_${nth}` }),
  )
}

test('a row that is known to fail counts as failed, and nothing is sent for it', async () => {
  const { paths, end } = await makeMixed()
  expect(end).toMatchObject({ rows: 3, create: 2, fail: 1 })
  const { url, seen } = await startAnswering()
  const { outcome } = await sendJob(paths, url)
  expect(outcome.account).toMatchObject({ rows: 3, done: 2, failed: 1, in_doubt: 0, unsent: 0 })
  expect(seen.filter(({ method }) => method !== 'GET')).toHaveLength(2)
})

test('after a kill it is failed, not in doubt, however long ago that was', async () => {
  const { paths } = await makeMixed()
  leaveLease(paths, { ...TERMS, leasedMs: Date.now() - TERMS.windowMs - 60_000, keyMark: '00000000' })
  const { url } = await startAnswering()
  const { outcome } = await sendJob(paths, url)
  expect(outcome.account).toMatchObject({ rows: 3, done: 2, failed: 1, in_doubt: 0 })
  expect((await reportFailures(paths))?.groups).toMatchObject([{ reason: FAILED.reason }])
})

async function matched(records: readonly CrmRecord[]) {
  const scratch = new Scratch(await tempFolder())
  async function* pages() {
    yield { items: records }
  }
  const keyOf = (record: CrmRecord) => matchKey(record, ['email'])
  const read = await Existing.read({ scratch, pages: pages(), keyOf, onRead: () => {} })
  const existing = Object.assign(read, { hasSeveralKeys: false })
  const keyLines = scratch.keys('row_keys')
  const summary = { head: undefined, columns: [] } as unknown as RowSource['summary']
  const source = { changes: (fields) => ({ fields, retyped: [] }), summary } as Partial<RowSource> as RowSource
  const parts = {
    names: ['email'],
    mode: 'upsert',
    kept: { cells: 0 },
    noun: 'contacts',
    isDeletion: false,
    shown: (fields: JsonObject) => fields,
  } as const
  try {
    const overruled = new OverruledMembers({ overruled: () => new Map() })
    const errors = { isFirstKept: false, addError: () => {} }
    return matchRow({ ...parts, ...errors, existing, keyLines, source, overruled }, row(2, 'A@x.test'))
  } finally {
    scratch.close()
  }
}

test('a row with several matches fails and names them, ten at the most', async () => {
  const people = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `con_${at}`, email: 'a@x.test' }))
  expect(await matched(people(2))).toMatchObject({
    do: 'fail',
    failed: { code: 'ambiguous_match', field: 'email', reason: 'it matched 2 contacts by email: con_0, con_1' },
  })
  const reason = expect.stringMatching(/^it matched more than 10 contacts by email: con_0, .*con_9, …$/)
  expect(await matched(people(12))).toMatchObject({ failed: { reason } })
})

test('a record on two pages of the list is one match', async () => {
  const ada = { id: 'con_1', email: 'a@x.test' }
  expect(await matched([ada, ada])).toMatchObject({ do: 'update', id: 'con_1' })
})
