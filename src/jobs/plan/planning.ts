import type { Api } from '../../api/api.ts'
import type { Connector, Offers } from '../../api/connectors/connector.ts'
import type { Asked } from '../../core/asked-members.ts'
import type { JsonObject, JsonValue } from '../../core/json.ts'
import type { CrmRecord, Resource } from '../../core/resources/registry.ts'
import type { InputStream } from '../../core/streams.ts'
import type { ServerMembers } from '../input/row.ts'
import type { JobNoun } from './plan-format.ts'

/** What a connector allows in a row. */
export interface RowRules {
  /** Of the connector, and those that the server lists, or that its first record has; undefined where records may have any. */
  members(): Promise<ServerMembers | undefined>
  /** Whether records show only the members that they are asked for. */
  readonly isSelecting: boolean
  /** From now on lists show these members, too; with `all`, each one that can be restored after a deletion. */
  ask(names: Iterable<string>, all?: 'all'): Asked
  /** Whether the server sets this member, so that a new record cannot have it. */
  isReadOnly(name: string): boolean
  /** Whether a connector file of one's own says where records have this field. */
  isOwnField(name: string): boolean
  /** Whether updates leave this member out on purpose, and no field of crm has it. */
  isDropped(name: string): boolean
  /** All values of a field in a record of a list, where it shows one of several; else none. */
  valuesOf(record: CrmRecord, name: string): readonly JsonValue[]
  /** Whether the connector finds the id of this resource by its name, and refuses unknown ones. */
  refersTo(resource: Resource): boolean
  /** The values as a record shows them: the name of a stage in place of its id. */
  shown(fields: JsonObject, record?: CrmRecord): JsonObject
  /** Members under the server's own names that contradict a field of crm in the same row, with its name. */
  overruled(fields: JsonObject): ReadonlyMap<string, string>
  /** Why the server could not keep these values, in lower case; undefined if it can. `record`: undefined for a new one. */
  faultIn(fields: JsonObject, record: CrmRecord | undefined): string | undefined
}

/** What a command is shown while it plans. */
export interface PlanningHooks {
  onStep(step: PlanningStep): void
}

/** How far one part of the planning is. */
export interface PlanningStep {
  /** The name of the input, or of the records of the server. */
  readonly what: string
  readonly unit: 'records' | 'bytes'
  readonly done: number
  /** In the unit; undefined if it is unknown. */
  readonly total: number | undefined
}

/** What planning needs. */
export interface PlanningContext {
  /** The folder of existing jobs; in a dry run it may not exist. */
  readonly jobsFolder: string
  /** The folder in which a new job is made. */
  readonly draftsFolder: string
  readonly account: string
  readonly stdin: () => InputStream
  readonly signal: AbortSignal
  readonly version: string
  /** The words after `crm`. */
  readonly command: readonly string[]
  /** All records, a page at a time. */
  readonly list: (noun: JobNoun) => AsyncIterable<{ readonly items: readonly CrmRecord[] }>
  /** The notes of these deals, a page at a time. */
  readonly listParts: (
    resource: 'note',
    parentIds: Iterable<string>,
  ) => AsyncIterable<{ readonly items: readonly CrmRecord[] }>
  /** The most records on a page of a list, where the connector says it. */
  readonly pageSize: (resource: Resource) => number | undefined
  /** Undefined if the server cannot be asked for records by this field. */
  readonly keyReader: Api['keyReader']
  /** Whether the server has an upsert by this field. */
  readonly upserts: Connector['upserts']
  readonly offers: Offers
  /** CrmError `bad_answer` for a record that the list lacks and the server has; nothing where it cannot be asked for one. */
  readonly checkGone: (noun: JobNoun, id: string) => Promise<void>
  /** Whether the server restores a record that was deleted this long ago, under its id. */
  readonly restores: Connector['restores']
  /** CrmError `not_supported` if the server does not have an operation. */
  readonly require: Api['require']
  /** What the connector allows in rows. */
  readonly rowRules: (noun: JobNoun) => Promise<RowRules>
  /** Called with the number of further records read from the list. */
  readonly onRead: (count: number) => void
  readonly onStep: PlanningHooks['onStep']
  readonly nowMs: () => number
  /** Ends early, with an error, when the command is interrupted. */
  readonly sleep: (ms: number) => Promise<void>
  /** A line for people. */
  readonly note: (line: string) => void
}

/** How the records that rows are matched with were found. */
export interface Matching {
  readonly by: 'keys' | 'list'
  readonly fields: readonly string[]
  readonly requests: number
  /** The records read that show no value of the fields. */
  readonly unmatchable: number
}
