import { CrmError } from '../core/errors.ts'
import { isJsonObject, type JsonObject, parseExactJson } from '../core/json.ts'
import { readPrivateFile } from '../files/private-file.ts'
import { writePrivateFile } from '../files/replace-file.ts'
import type { Pair } from './pair.ts'

/** The ids of migrated records on both servers, with what is known of the jobs that made them. */
export class IdMap {
  readonly #ids = new Map<string, Map<string, string>>()
  /** Jobs whose results may not be in the map yet. */
  readonly open: Set<string>
  /** How many jobs were begun for each resource; a new one gets other idempotency keys. */
  readonly begun: Map<string, number>

  constructor(open: Iterable<string> = [], begun: Iterable<readonly [string, number]> = []) {
    this.open = new Set(open)
    this.begun = new Map(begun)
  }

  idOf(type: string, from: string): string | undefined {
    return this.#ids.get(type)?.get(from)
  }

  has(type: string): boolean {
    return (this.#ids.get(type)?.size ?? 0) > 0
  }

  /** In the order in which they were added. */
  *pairs(): Generator<{ readonly type: string; readonly from: string; readonly to: string }, void, undefined> {
    for (const [type, ids] of this.#ids) for (const [from, to] of ids) yield { type, from, to }
  }

  set(type: string, from: string, to: string): void {
    const ids = this.#ids.get(type) ?? new Map<string, string>()
    this.#ids.set(type, ids.set(from, to))
  }

  /** Records of the target that were deleted, as by an undo. */
  forget(type: string, targets: ReadonlySet<string>): void {
    const ids = this.#ids.get(type) ?? new Map<string, string>()
    for (const [from, to] of ids) if (targets.has(to)) ids.delete(from)
  }
}

/** Empty before the first migration. CrmError `invalid_input` for a file that is not an id map of these servers. */
export async function readIdMap({ idMap: file, from, to }: Pair): Promise<IdMap> {
  const text = await readPrivateFile(file)
  if (text === undefined) return new IdMap()
  const [first = '', ...lines] = text.split('\n')
  const head = parsed(first)
  if (head?.crm_id_map !== 1 || head.from !== from || head.to !== to || lines.at(-1) !== '') throw damaged(file, 1)
  const { open, begun } = head
  const map = new IdMap(
    Array.isArray(open) ? open.map(String) : [],
    Object.entries(isJsonObject(begun) ? begun : {}).map(([noun, count]) => [noun, Number(count)] as const),
  )
  for (const [at, line] of lines.slice(0, -1).entries()) {
    const entry = parsed(line)
    const { type, from: own, to: other } = entry ?? {}
    if (typeof type !== 'string' || typeof own !== 'string' || typeof other !== 'string') throw damaged(file, at + 2)
    map.set(type, own, other)
  }
  return map
}

/** On disk when it returns. */
export async function writeIdMap({ idMap: file, from, to }: Pair, map: IdMap): Promise<void> {
  const head = { crm_id_map: 1, from, to, open: [...map.open], begun: Object.fromEntries(map.begun) }
  const lines = [head, ...map.pairs()].map((each) => JSON.stringify(each))
  await writePrivateFile(file, `${lines.join('\n')}\n`)
}

function parsed(line: string): JsonObject | undefined {
  try {
    const value = parseExactJson(line)
    return isJsonObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function damaged(file: string, line: number): CrmError {
  return new CrmError('invalid_input', `${file}, line ${line}: this is not the id map of these two servers`, {
    hint: 'restore it from a backup: without it, records that were migrated would be created again',
  })
}
