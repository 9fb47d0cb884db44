import { join } from 'node:path'
import { getRequest, runLoad } from './load.ts'
import { benchFolder, median, type Server, startCrm } from './processes.ts'
import { fillContacts, fillDeals } from './seed.ts'
import { firstAnswer } from './start-up.ts'
import type { Row } from './table.ts'

const MILLION = 1_000_000

/** Requests that must not become slower with the number of rows. */
export async function measureLarge(): Promise<Row[]> {
  const folder = benchFolder()
  const [contacts, deals] = [join(folder, 'contacts.db'), join(folder, 'deals.db')]
  await fillContacts(contacts, MILLION)
  await fillDeals(deals, MILLION)
  const start = await firstAnswer('first answer of crm serve, 1,000,000 contacts', contacts, 400)
  const server = await startCrm(contacts)
  const deep = await deepCursor(server, 10_000)
  const [first, later] = await inTurns(server, ['/v1/contacts?limit=100', `/v1/contacts?limit=100&cursor=${deep}`])
  await server.stop()
  const rows: Row[] = [start, compare('page 10,000 beside page 1, 1,000,000 contacts', later, first, { atLeast: 0.9 })]

  const dealServer = await startCrm(deals)
  const filters = ['name=Deal%2017', 'stage=Won', 'owner_id=u_7', 'pipeline_id=sales']
  const rates = await inTurns(dealServer, [
    '/v1/deals?limit=100',
    ...filters.map((each) => `/v1/deals?limit=100&${each}`),
  ])
  await dealServer.stop()
  const [plain, ...filtered] = rates
  // The limit of 1.3 is for the time: 1 / 1.3 of the requests a second.
  for (const [index, filter] of filters.entries()) {
    rows.push(compare(`page of deals with ${filter}, 1,000,000 deals`, filtered[index], plain, { atLeast: 1 / 1.3 }))
  }
  return rows
}

/** Requests a second of each path, on one connection, the paths in turns. */
async function inTurns(server: Server, paths: readonly string[]): Promise<number[]> {
  const rates = paths.map((): number[] => [])
  for (let round = 0; round < 5; round++) {
    for (const [index, path] of paths.entries()) {
      const request = () => getRequest(path, server.key)
      const { perSecond } = await runLoad({ url: server.url, connections: 8, forMs: 600, request })
      rates[index]?.push(perSecond)
    }
  }
  return rates.map(median)
}

export async function deepCursor(server: Server, pages: number): Promise<string> {
  let cursor = ''
  // A cursor does not depend on the size of the pages before it, so the way there can be quicker.
  for (let records = 0; records < pages * 100; records += 500) {
    const url = `${server.url}/v1/contacts?limit=500${cursor && `&cursor=${cursor}`}`
    const answer = await fetch(url, { headers: { authorization: `Bearer ${server.key}` } })
    const { next_cursor } = (await answer.json()) as { next_cursor: string | null }
    if (next_cursor === null) break
    cursor = next_cursor
  }
  return cursor
}

export function compare(what: string, ours = 0, theirs = 0, goal: Row['goal']): Row {
  return { what, measured: `${ours.toFixed(0)}/s`, peer: `${theirs.toFixed(0)}/s`, ratio: ours / theirs, goal }
}
