import { decodeId, type IdKind } from '../../core/ids.ts'
import { cursorsOf, decodeCursor, unknownCursor } from '../cursor.ts'
import { LIMIT } from '../page.ts'
import { badParameter } from '../problem.ts'
import type { PageQuery } from '../store/store.ts'

export interface ConnectionArgs {
  readonly first?: number | null
  readonly after?: string | null
}

/** One page of a list. Its cursors are bound to `list`, as in REST. */
export interface ListPage<T> {
  readonly list: string
  readonly nodes: readonly T[]
  readonly hasNextPage: boolean
  idOf(node: T): string
}

/** The start and size of a page. Without a kind, the cursor may contain any id. */
export function readConnectionArgs({ first, after }: ConnectionArgs, list: string, kind?: IdKind): PageQuery {
  const limit = first ?? LIMIT.usual
  if (limit < LIMIT.smallest || limit > LIMIT.largest) {
    const expected = `expected a whole number from ${LIMIT.smallest} to ${LIMIT.largest}`
    throw badParameter('first', 'invalid_limit', `${expected}, got ${limit}`)
  }
  if (after === undefined || after === null) return { limit, olderThanId: undefined }
  const olderThanId = decodeCursor(after, list, 'after')
  if (kind && decodeId(kind, olderThanId) === undefined) throw unknownCursor(after, 'after')
  return { limit, olderThanId }
}

/** Edges and cursors are computed on demand. */
export function connectionOf<T>({ list, nodes, hasNextPage, idOf }: ListPage<T>): object {
  const cursorOf = cursorsOf(list)
  const cursorAt = (place: number): string | null => {
    const node = nodes.at(place)
    return node === undefined ? null : cursorOf(idOf(node))
  }
  return {
    nodes,
    edges: () => nodes.map((node) => ({ node, cursor: () => cursorOf(idOf(node)) })),
    pageInfo: {
      hasNextPage,
      hasPreviousPage: false,
      startCursor: () => cursorAt(0),
      endCursor: () => cursorAt(-1),
    },
  }
}
