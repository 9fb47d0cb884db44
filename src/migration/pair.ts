import { hash } from 'node:crypto'
import { join } from 'node:path'

/** Two servers, and the folder of what is kept about moving records from one to the other. */
export interface Pair {
  /** As the accounts of jobs. */
  readonly from: string
  readonly to: string
  /** The beginning of the run ids of its jobs. */
  readonly run: string
  readonly folder: string
  readonly idMap: string
  readonly lock: string
}

const PAIR_CHARS = 22

/** `home`: the state home. */
export function pairOf(home: string, { from, to }: Pick<Pair, 'from' | 'to'>): Pair {
  const id = hash('sha256', `${from}\0${to}`, 'base64url').slice(0, PAIR_CHARS)
  const folder = join(home, 'migrations', id)
  return { from, to, run: `migrate.${id}`, folder, idMap: join(folder, 'ids.ndjson'), lock: join(folder, 'lock') }
}
