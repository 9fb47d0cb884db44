import { decodeId } from '../../../core/ids.ts'
import { isOpenResource, RESOURCES, type StoredResource } from '../../../core/resources/registry.ts'
import { filterColumns } from '../change-rules.ts'
import { OWN_COLUMNS } from '../record-columns.ts'
import type { RecordChange, StoreWrite } from '../store.ts'
import { bounded } from './bounded-text.ts'

/** The values of a record in the columns of its table besides id, version and text. */
export type OwnValues = readonly (string | number | null)[]

type Next = NonNullable<RecordChange['next']>

interface Statements {
  readonly insert: string
  readonly update: string
  /** Leaves the columns, and so their indexes, as they are. */
  readonly updateText: string
  readonly remove: string
}

/** Each statement takes lists, one for each column, so that it writes any number of rows. */
export function statementsOf(resource: StoredResource): Statements {
  const table = RESOURCES[resource].plural
  const own = OWN_COLUMNS[resource] ?? []
  const columns = ['id', 'version', 'text', ...own]
  const lists = columns.map((name, place) => `$${place + 1}::${typeOf(name)}[]`).join(', ')
  const given = `unnest(${lists}) AS given (${columns.join(', ')})`
  // A webhook keeps its secret unless it is given another.
  const assigned = own.map((name) =>
    name === 'secret' ? `secret = coalesce(given.secret, ${table}.secret)` : `${name} = given.${name}`,
  )
  const text = 'version = given.version, text = given.text'
  return {
    insert: `INSERT INTO ${table} (${columns.join(', ')}) SELECT * FROM ${given}`,
    update: `UPDATE ${table} SET ${[text, ...assigned].join(', ')} FROM ${given} WHERE ${table}.id = given.id`,
    updateText: `UPDATE ${table} SET ${text} FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS given (id, version, text)
      WHERE ${table}.id = given.id`,
    remove: `DELETE FROM ${table} WHERE id = ANY($1::bigint[])`,
  }
}

function typeOf(column: string): string {
  if (column === 'id' || column === 'version' || column === 'deal_id') return 'bigint'
  return column === 'amount' ? 'double precision' : 'text'
}

/** Undefined when the change keeps them. */
export function ownValues(
  { resource, parent }: StoreWrite,
  { next, deal, webhook }: RecordChange & { readonly next: Next },
): OwnValues | undefined {
  if (parent) return [serialOf(parent.resource, parent.id)]
  if (isOpenResource(resource)) return filterColumns(resource, next.text).map((value) => value && bounded(value))
  if (deal) {
    const { name, stage, ownerId, pipelineId, amount } = deal
    return [bounded(name), bounded(stage), ownerId && bounded(ownerId), bounded(pipelineId), amount]
  }
  if (webhook) return [webhook.url, JSON.stringify(webhook.events), webhook.secret ?? null]
  return undefined
}

export function serialOf(resource: StoredResource, id: string): number {
  const serial = decodeId(resource, id)
  if (serial === undefined) throw new Error(`${id} is not an id of a ${resource}`)
  return serial
}
