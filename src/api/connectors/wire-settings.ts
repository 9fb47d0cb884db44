import { WIRE_DEFAULTS, type Wire } from '../../core/wire.ts'
import type { ConnectorDocument, KeptKeys, ListOperation, PagingDocument } from './document.ts'

/** The connector with the `wire.*` settings that differ from their defaults, in each list whose paging it declares. */
export function withSettings(document: ConnectorDocument, wire: Wire): ConnectorDocument {
  const resources = Object.entries(document.resources).map(([name, resource]) => {
    const { list } = resource
    return [name, list && list.paging.by !== 'detected' ? { ...resource, list: changedList(list, wire) } : resource]
  })
  return { ...document, resources: Object.fromEntries(resources) }
}

/** The settings, completed by what the connector says of the server. */
export function completedWire(wire: Wire, { idempotency, graphql, isDescribed }: ConnectorDocument): Wire {
  return {
    ...wire,
    graphqlPath: wire.graphqlPath ?? (graphql === 'detected' ? undefined : 'none'),
    ...(typeof idempotency === 'object'
      ? keptKeys(wire, idempotency)
      : // Without a description to read, a server that is not known to keep keys is one that does not.
        { idempotency: wire.idempotency ?? (isDescribed ? undefined : 'none') }),
  }
}

function keptKeys(wire: Wire, { header, keepsMs, scope }: KeptKeys): Partial<Wire> {
  const { idempotencyHeader, idempotencyWindowMs } = WIRE_DEFAULTS
  return {
    idempotency: wire.idempotency ?? 'kept',
    ...(wire.idempotencyHeader === idempotencyHeader && { idempotencyHeader: header }),
    ...(wire.idempotencyWindowMs === idempotencyWindowMs && keepsMs !== undefined && { idempotencyWindowMs: keepsMs }),
    isWindowOfAccount: wire.isWindowOfAccount || scope === 'account',
  }
}

function changedList(list: ListOperation, wire: Wire): ListOperation {
  const { itemsPath } = wire
  return {
    ...list,
    ...(itemsPath !== undefined && { items: itemsPath.endsWith('[]') ? itemsPath : `${itemsPath}[]` }),
    paging: changedPaging(list.paging, wire),
  }
}

function changedPaging({ size, ...paging }: PagingDocument, wire: Wire): PagingDocument {
  const changedSize = wire.limitParam === undefined ? undefined : changedPageSize(size, wire.limitParam, wire.pageSize)
  return {
    ...paging,
    ...(wire.paging && { by: wire.paging }),
    ...(wire.cursorParam !== undefined && { param: wire.cursorParam }),
    ...(wire.nextPath !== undefined && { next: wire.nextPath }),
    ...(changedSize && { size: changedSize }),
  }
}

function changedPageSize(size: PagingDocument['size'], param: string, max: number): PagingDocument['size'] {
  const isParamSet = param !== WIRE_DEFAULTS.limitParam
  const isMaxSet = max !== WIRE_DEFAULTS.pageSize
  if (!size) return isParamSet ? { param, max } : undefined
  return { param: isParamSet ? param : size.param, max: isMaxSet ? max : size.max }
}
