import { CrmError } from '../../core/errors.ts'
import { idText, type JsonObject, type JsonValue } from '../../core/json.ts'
import { linkIn, linkText, wholeLinks } from '../../core/links.ts'
import { nearest } from '../../core/nearest.ts'
import { parentMember } from '../../core/resources/parents.ts'
import { FIELDS, RESOURCES, type Resource } from '../../core/resources/registry.ts'
import type { InputRow, ListEdit, ReferenceColumn, RowFinding, RowSource } from '../input/row.ts'
import { Existing, keyReaderFor } from './existing.ts'
import { wrongLabels } from './link-labels.ts'
import { keysOfRecord, matchKey } from './match-keys.ts'
import type { PlanBuilder } from './plan-builder.ts'
import type { JobNoun } from './plan-format.ts'
import type { PlanningContext, RowRules } from './planning.ts'
import type { KeyIndex, Scratch } from './scratch.ts'

interface ReferenceParts {
  readonly context: PlanningContext
  readonly scratch: Scratch
  readonly preview: Pick<PlanBuilder['preview'], 'name'>
  readonly rateShare: number
  readonly rules: Pick<RowRules, 'linkTypes'>
  /** See ImportRequest. */
  readonly creates?: ReadonlySet<Resource> | undefined
}

/** Values by which rows name records that do not exist, in the order of the rows. */
export interface MissingRecords {
  readonly to: Resource
  readonly by: string
  readonly values: readonly string[]
}

/** Rows whose references are resolved. */
export interface ResolvedRows extends RowSource {
  /** Called with the members of each row that is sent. */
  send(fields: JsonObject): void
  /** What these rows name. */
  missing(): readonly MissingRecords[]
}

/** In a plan that is only shown, it stands for the id of a record that does not exist yet. */
const NEW = '(new) '

/**
 * The rows, with the values of columns such as `company.domain` replaced by ids. A value that no record has, or several, is an error in its
 * row, unless the record is to be created first.
 */
export function withReferences(source: RowSource, parts: ReferenceParts): ResolvedRows {
  const found = new ReferencedRecords(parts)
  const findingsIn = (row: InputRow): readonly RowFinding[] | Promise<readonly RowFinding[]> => {
    const findings = found.place(row)
    if (!row.edits) return findings
    setLinks(row)
    return wrongLabels(row, parts.rules, source.summary.columns).then((wrong) => [...findings, ...wrong])
  }
  const keep = async (rows: readonly InputRow[], onRefused: Parameters<RowSource['rows']>[0]) => {
    const valid: InputRow[] = []
    for (const row of rows) {
      const found = findingsIn(row)
      // Most rows have none to wait for.
      const findings = 'then' in found ? await found : found
      for (const finding of findings) source.findings.add(finding)
      if (findings.length > 0) onRefused?.({ ...row, findings })
      else valid.push(row)
    }
    return valid
  }
  return {
    ...source,
    async *rows(onRefused) {
      for await (const rows of source.rows(onRefused)) {
        await found.read(rows)
        const valid = await keep(rows, onRefused)
        if (valid.length > 0) yield valid
      }
    },
    send: (fields) => found.send(fields),
    missing: () => found.missing(),
  }
}

interface Lookup {
  readonly existing: Existing
  /** The values that were asked for; undefined: the whole list was read. */
  readonly asked: KeyIndex | undefined
  /** Reads the records with these values. */
  read(values: readonly string[]): Promise<void>
}

const MOST_NAMED = 3

class ReferencedRecords {
  readonly #parts: ReferenceParts
  /** By object and member. */
  readonly #lookups = new Map<string, Lookup>()
  readonly #sent = new Set<string>()
  /** By object and member: values by their keys. */
  readonly #missing = new Map<string, { reference: ReferenceColumn['reference']; values: Map<string, string> }>()
  /** The objects that columns name. */
  readonly #named = new Set<Resource>()
  #hasRows = false

  constructor(parts: ReferenceParts) {
    this.#parts = parts
  }

  /** Reads the records that the rows refer to, as far as they are not known. */
  async read(rows: readonly InputRow[]): Promise<void> {
    this.#hasRows ||= rows.length > 0
    const wanted = new Map<string, { reference: ReferenceColumn['reference']; values: Set<string> }>()
    for (const row of rows) {
      for (const column of row.references ?? []) {
        const { reference } = column
        this.#named.add(reference.to)
        const one = wanted.get(lookupName(reference)) ?? { reference, values: new Set() }
        wanted.set(lookupName(reference), one)
        for (const value of valuesIn(row, column)) one.values.add(value)
      }
    }
    for (const [name, { reference, values }] of wanted) {
      const lookup = this.#lookups.get(name) ?? (await this.#open(reference))
      this.#lookups.set(name, lookup)
      const fresh = lookup.asked ? [...values].filter((value) => lookup.asked?.getOrSet(value, 1) === undefined) : []
      if (fresh.length > 0) await lookup.read(fresh)
    }
  }

  /** Replaces values by ids; returns the errors. */
  place(row: InputRow): readonly RowFinding[] {
    const findings: RowFinding[] = []
    for (const column of row.references ?? []) {
      const ids = [...new Set(valuesIn(row, column).map((value) => this.#idOf(row, column, value)))]
      findings.push(...ids.filter((id) => typeof id !== 'string'))
      setIds(
        row,
        column,
        ids.filter((id) => typeof id === 'string'),
      )
    }
    return findings
  }

  send(fields: JsonObject): void {
    for (const value of Object.values(fields)) {
      for (const each of Array.isArray(value) ? value : [value])
        if (typeof each === 'string' && each.startsWith(NEW)) this.#sent.add(each.slice(NEW.length))
    }
  }

  /** CrmError `usage` for an object to create that no column names, unless there are no rows. */
  missing(): readonly MissingRecords[] {
    const unnamed = [...(this.#parts.creates ?? [])].find((to) => !this.#named.has(to))
    if (unnamed !== undefined && this.#hasRows) throw unnamedObject(unnamed)
    const all = [...this.#missing.values()].map(({ reference, values }) => ({
      ...reference,
      values: [...values.values()].filter((value) => this.#sent.has(value)),
    }))
    return all.filter(({ values }) => values.length > 0)
  }

  #idOf({ line, offset, position }: InputRow, column: ReferenceColumn, value: string): string | RowFinding {
    const { name, field, reference, edit } = column
    const { to, by } = reference
    const key = matchKey({ [by]: value }, [by])
    const matches = this.#lookups.get(lookupName(reference))?.existing.find(key, MOST_NAMED + 1) ?? []
    const [first] = matches
    const ids = [...new Set(matches.map(({ id }) => id))]
    if (first && ids.length === 1) {
      this.#parts.preview.name(field, first.id, idText(first.record.name) ?? value)
      return first.id
    }
    if (ids.length === 0 && edit !== 'remove' && key !== undefined && this.#parts.creates?.has(to)) {
      const missing = this.#missing.get(lookupName(reference)) ?? { reference, values: new Map() }
      this.#missing.set(lookupName(reference), missing)
      if (!missing.values.has(key)) missing.values.set(key, value.trim())
      return `${NEW}${missing.values.get(key)}`
    }
    const { singular, plural } = RESOURCES[to]
    const place = { line, offset, ...(position !== undefined && { position }), column: name, value }
    if (ids.length === 0) return { ...place, code: 'unknown_reference', message: `no ${singular} has this ${by}` }
    const named = ids.slice(0, MOST_NAMED).join(', ')
    const count = ids.length > MOST_NAMED ? `more than ${MOST_NAMED}` : ids.length
    return { ...place, code: 'ambiguous_reference', message: `${count} ${plural} have this ${by}: ${named}` }
  }

  async #open({ to, by }: ReferenceColumn['reference']): Promise<Lookup> {
    const { context, scratch, rateShare } = this.#parts
    const { plural } = RESOURCES[to]
    const noun = plural as JobNoun
    const rules = await context.rowRules(noun)
    rules.ask([by])
    const table = `referenced_${this.#lookups.size}`
    const existing = new Existing(scratch, (record) => keysOfRecord(record, [by], rules.valuesOf), table)
    const keyed = await keyReaderFor(context, noun, [by])
    if (!keyed) {
      context.require(to, 'list')
      await existing.read(context.list(noun), context.onRead)
      refuseUnknown(existing, to, by)
      return { existing, asked: undefined, read: async () => {} }
    }
    return {
      existing,
      asked: scratch.keys(`asked_${table}`),
      read: async (values) => {
        for (let at = 0; at < values.length; at += keyed.size) {
          const records = await keyed.read(values.slice(at, at + keyed.size), { signal: context.signal, rateShare })
          existing.add(records)
          context.onRead(records.length)
        }
      },
    }
  }
}

function unnamedObject(to: Resource): CrmError {
  const { singular, plural } = RESOURCES[to]
  return new CrmError('usage', `--create-missing ${plural}: no column names ${plural}`, {
    hint: `a column such as ${singular}.name names them; crm fields ${plural} lists by what; or leave --create-missing out`,
  })
}

/** CrmError `usage` for a member that no record has; otherwise every row would fail with the same error. */
function refuseUnknown({ members }: Existing, to: Resource, by: string): void {
  const known: readonly string[] = [...FIELDS[to], ...members]
  if (members.size === 0 || known.includes(by)) return
  const { singular, plural } = RESOURCES[to]
  const near = nearest(by, known)
  throw new CrmError('usage', `${plural} have no member ${JSON.stringify(by)} to find them by`, {
    hint: near === undefined ? `crm fields ${plural} lists what they have` : `did you mean ${singular}.${near}?`,
  })
}

/** The links of a new record. */
function setLinks({ fields, edits = {} }: InputRow): void {
  const all = Object.entries(edits).filter(([, { isLink }]) => isLink)
  for (const [field, of] of Map.groupBy(all, ([key]) => linkIn(key).id)) {
    const values = of.flatMap(([key, { add = [] }]) => add.map((id) => linkText(id, linkIn(key).label)))
    fields[field] = wholeLinks(values)
  }
}

/** The members without those that name a record which is created first. */
export function withoutNew(fields: JsonObject): JsonObject {
  const isNew = (value: JsonValue): boolean =>
    Array.isArray(value) ? value.some(isNew) : typeof value === 'string' && value.startsWith(NEW)
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isNew(value)))
}

function lookupName({ to, by }: ReferenceColumn['reference']): string {
  return `${to} ${by}`
}

function valuesIn(row: InputRow, { field, edit, label }: ReferenceColumn): readonly string[] {
  const { fields, edits, parent } = row
  if (isParent(row, field)) return [parent?.id ?? '']
  if (edit) return edits?.[linkText(field, label)]?.[listOf(edit)] ?? []
  const value: JsonValue = fields[field] ?? null
  return (Array.isArray(value) ? value : [value]).flatMap((each) => idText(each) ?? [])
}

/** Whether the column says what a note is on. */
function isParent({ parent }: InputRow, field: string): boolean {
  return parent !== undefined && parentMember(parent.of) === field
}

function listOf(edit: ListEdit): 'add' | 'remove' {
  return edit === 'set' ? 'add' : edit
}

function setIds(row: InputRow, { field, edit, label }: ReferenceColumn, ids: readonly string[]): void {
  const { fields, edits, parent } = row
  const [id = null] = ids
  if (isParent(row, field)) return void Object.assign(parent ?? {}, { id })
  const own = edits?.[linkText(field, label)]
  if (edit && own) {
    Object.assign(own, { [listOf(edit)]: ids })
    fields[field] = [...(own.add ?? [])]
  } else fields[field] = Array.isArray(fields[field]) ? [...ids] : id
}
