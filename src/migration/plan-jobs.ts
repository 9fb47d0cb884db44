import { collectionPath, pathOfRecord } from '../api/transport/call.ts'
import type { JsonObject } from '../core/json.ts'
import { type CrmRecord, RESOURCES, type Resource } from '../core/resources/registry.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { MadeJob } from '../jobs/plan/make-job.ts'
import type { PlanBuilder } from '../jobs/plan/plan-builder.ts'
import type { JobNoun } from '../jobs/plan/plan-format.ts'
import { type CarryRules, carried, isEmpty } from './carry.ts'
import type { Doubtful } from './chain.ts'
import type { IdMap } from './id-map.ts'
import type { Pair } from './pair.ts'
import type { RecordCopy } from './source-records.ts'

/** What a migration would do with the records of one resource. */
export interface ResourcePlan {
  readonly type: Resource
  readonly source: number
  /** Migrated before. */
  readonly migrated: number
  readonly create: number
  /** Records that were migrated before, and lack references to what is on the target now, or will be. */
  readonly change: number
  /** Records that the target cannot keep. */
  readonly cannot: number
  readonly inDoubt: number
  /** Members that are not carried over, with the number of records that have them. */
  readonly left: ReadonlyMap<string, number>
}

export interface PlanParts {
  readonly source: RecordCopy
  /** As far as it was read. */
  readonly target: RecordCopy
  readonly ids: IdMap
  readonly doubtful: Doubtful
  readonly rules: CarryRules
  /** Whether the target changes records. */
  readonly isChangeable: boolean
}

/** The plans of resources, each after those that it refers to; sends nothing. */
export function planAll(all: readonly PlanParts[]): readonly ResourcePlan[] {
  const refused = new Set<string>()
  return all.map((parts) => {
    const { source, ids } = parts
    // A record that is still to be created has no id on the target yet; 0 stands for it, as some targets have numbers.
    const idOf: IdMap['idOf'] = (type, id) =>
      ids.idOf(type, id) ?? (source.has(type, id) && !refused.has(`${type} ${id}`) ? '0' : undefined)
    return planOf({ ...parts, rules: { ...parts.rules, ids: { idOf } } }, refused)
  })
}

/** Adds the records that the target cannot keep to `refused`. */
function planOf(parts: PlanParts, refused: Set<string>): ResourcePlan {
  const { source, ids, doubtful, rules } = parts
  const { type } = rules
  const left = new Map<string, number>()
  let [migrated, create, change, inDoubt] = [0, 0, 0, 0]
  const before = refused.size
  for (const { id, record } of source.all(type)) {
    if (ids.idOf(type, id) !== undefined) migrated += 1
    else if (doubtful.get(type)?.has(id)) inDoubt += 1
    else {
      const { fault, left: names } = carried(rules, record)
      if (fault === undefined) create += 1
      else refused.add(`${type} ${id}`)
      for (const name of names) left.set(name, (left.get(name) ?? 0) + 1)
    }
  }
  for (const _ of unsetReferences(parts)) change += 1
  return { type, source: source.count(type), migrated, create, change, cannot: refused.size - before, inDoubt, left }
}

/** What a job sends: the records that were not migrated yet, or the references that the target lacks. */
export type SentPart = 'records' | 'references'

/** Undefined if nothing is left to be sent. */
export async function makeJobOf(
  jobs: Jobs,
  { run }: Pair,
  parts: PlanParts,
  what: SentPart,
): Promise<MadeJob | undefined> {
  const noun = RESOURCES[parts.rules.type].plural as JobNoun
  // The keys of an earlier job must not answer for this one.
  const identity = {
    kind: 'migrate',
    noun,
    run: `${run}.${noun}.${parts.ids.begun.get(noun) ?? 0}`,
    of: undefined,
  } as const
  const job = await jobs.make({ ...identity, ...askMembers(parts) }, async (builder) => {
    if (what === 'records') addRecords(builder, parts)
    else addReferences(builder, parts)
  })
  if (job.end.rows > 0) return job
  jobs.of(job.paths).drop()
  return undefined
}

function addRecords(builder: PlanBuilder, { source, ids, doubtful, rules }: PlanParts): void {
  const { type } = rules
  for (const { id, record } of source.all(type)) {
    if (ids.idOf(type, id) !== undefined || doubtful.get(type)?.has(id)) continue
    const { body, parent, fault } = carried(rules, record)
    if (fault === undefined) builder.add({ do: 'create', path: collectionPath(type, parent), body, source: id })
    else {
      const reason = `${type} ${id} of the source: ${fault}`
      const failed = { code: 'not_allowed', field: null, reason } as const
      builder.fail({ do: 'fail', path: RESOURCES[type].path, source: id, failed })
    }
  }
}

/** A record of the target, and the references that it lacks: what they name was migrated after it. */
interface Unset {
  readonly id: string
  readonly record: CrmRecord
  readonly body: JsonObject
}

function* unsetReferences({ source, target, ids, rules, isChangeable }: PlanParts): Generator<Unset, void, undefined> {
  const { type } = rules
  if (!isChangeable || target.count(type) === 0) return
  for (const { id: from, record: own } of source.all(type)) {
    const id = ids.idOf(type, from)
    const record = id === undefined ? undefined : target.find(type, id)
    if (id === undefined || !record) continue
    const references = Object.entries(carried(rules, own).body).filter(
      ([name]) => rules.referenceOf(name) && (isEmpty(record[name]) || String(record[name]) === ''),
    )
    if (references.length > 0) yield { id, record, body: Object.fromEntries(references) }
  }
}

function addReferences(builder: PlanBuilder, parts: PlanParts): void {
  for (const { id, record, body } of unsetReferences(parts))
    builder.add({ do: 'update', path: pathOfRecord(parts.rules.type, id), id, body, before: record })
}

/** From now on records show the members that a migration writes. */
export function askMembers({ source, rules }: PlanParts): ReturnType<CarryRules['rules']['ask']> {
  if (!rules.rules.isSelecting) return {}
  const names = new Set<string>()
  for (const { record } of source.all(rules.type))
    for (const name of Object.keys(carried(rules, record).body)) names.add(name)
  return rules.rules.ask(names)
}
