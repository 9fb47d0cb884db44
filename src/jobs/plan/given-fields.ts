import { CrmError } from '../../core/errors.ts'
import { type JsonObject, type JsonValue, setAtPath } from '../../core/json.ts'
import { linkText } from '../../core/links.ts'
import {
  type CrmRecord,
  FIELDS,
  type ImportableResource,
  type ListedResource,
  type PluralOf,
  RESOURCES,
  resourceOf,
} from '../../core/resources/registry.ts'
import { shellWord, typedProfile } from '../../core/shell-words.ts'
import { changesIn } from '../input/changed-members.ts'
import { aliasOf, type Column, createColumnResolver, editOf, type UnknownColumn } from '../input/columns.ts'
import { createFindings } from '../input/findings.ts'
import { EDIT_SIGNS } from '../input/header-row.ts'
import { relationsOf } from '../input/relations.ts'
import type { FormatSummary, InputRow, RowFinding, RowOptions, RowSource, ServerMembers } from '../input/row.ts'
import { convertMember, createDraft, placeValue } from '../input/row-draft.ts'
import { refuseLabels } from './link-labels.ts'
import { editedFields } from './match-rows.ts'
import type { PlanningContext, RowRules } from './planning.ts'
import { withReferences } from './references.ts'
import { Scratch } from './scratch.ts'

/** One member of `--set` or `--data`. */
export interface GivenMember {
  readonly flag: string
  /** As typed. */
  readonly name: string
  readonly path: readonly string[]
  readonly value: JsonValue
}

export interface GivenRequest {
  readonly noun: PluralOf<ListedResource & ImportableResource>
  readonly given: readonly GivenMember[]
  /** Of many, those that no record has are refused once all are read. */
  readonly of: 'new' | 'one' | 'many'
  /** `--new-field` */
  readonly isNewAllowed: boolean
  /** The server is known to be one of the contract, whose records have any members. */
  readonly isContract: boolean
}

/** What members of a command line write, as the columns of an import would. */
export interface GivenFields {
  /** Of a new record. */
  readonly fields: JsonObject
  /** Of an existing one; undefined: the same for each. */
  readonly of: ((record: CrmRecord) => JsonObject) | undefined
}

type Asking = Pick<GivenRequest, 'noun'> & Pick<PlanningContext, 'command'>

type Resolved = GivenMember & { readonly column: Column | UnknownColumn }

/** Undefined where the server has to be asked first. */
export function contractFields(request: GivenRequest, command: readonly string[]): GivenFields | undefined {
  if (!request.isContract) return undefined
  const resource = resourceOf(request.noun)
  const relations = relationsOf(resource, RESOURCES[resource].fields as Parameters<typeof relationsOf>[1])
  const members = resolved(request, { relations })
  if (!members.every(isAlone)) return undefined
  return { fields: placed(members, { ...request, command }).fields, of: undefined }
}

/** CrmError `usage` for names that no field has, values that a field does not take, and references to no record or several. */
export async function resolveFields(context: PlanningContext, request: GivenRequest): Promise<GivenFields> {
  const asked = { noun: request.noun, command: context.command }
  const rules = await context.rowRules(request.noun)
  const server = await serverMembers(request, rules)
  const members = resolved(request, { server, relations: rules.relations })
  await refuseUnknown(context, request, { members, server })
  const row = placed(members, asked)
  const columns = members.map(({ name, column }) =>
    'suggestion' in column ? { name, field: name } : { name, field: column.field, ...editOf(column) },
  )
  refuseSided(request, columns)
  await refuseLabels(rules, columns)
  refuseFindings(members, asked, await placeReferences(context, rules, { row, columns }))
  rules.ask(Object.keys(row.fields))
  const { fields, edits } = row
  return { fields, of: edits && ((record) => ({ ...fields, ...editedFields(record, edits) })) }
}

/** Each name once: the last value counts, and what `tags+` adds is added up. CrmError for two names of the same field. */
function resolved(
  { noun, given, isNewAllowed }: GivenRequest,
  known: Pick<RowOptions, 'server' | 'relations'>,
): readonly Resolved[] {
  const resource = resourceOf(noun)
  // A synonym such as `title` is no slip, unless the server has no such field.
  const isSynonym = (name: string) => !known.server?.isClosed && aliasOf(resource, name) !== undefined
  const resolve = (name: string) =>
    createColumnResolver(resource, new Map(), { ...known, isNewAllowed: isNewAllowed || isSynonym(name) })(name)
  const all = new Map<string, Resolved>()
  for (const member of given) {
    const column = resolve(member.name)
    const before = all.get(member.name)
    const isSided = 'edit' in column && editOf(column).isEdit
    all.delete(member.name)
    const value = before && isSided ? [...listOf(before.value), ...listOf(member.value)] : member.value
    all.set(member.name, { ...member, value, column })
  }
  refuseClashes([...all.values()])
  return [...all.values()]
}

function listOf(value: JsonValue): readonly JsonValue[] {
  return typeof value === 'string' ? value.split(';') : Array.isArray(value) ? value : [value]
}

/** `tags+`, `contacts-.email`, `deals[Decision maker]` */
const SIGNED = /[+-](?:\.|$)|\[.*\]/

/** Whether it needs nothing of the server. */
function isAlone({ name, column }: Resolved): boolean {
  return !('suggestion' in column) && !SIGNED.test(name) && !column.reference && !column.edit
}

/** The values of the members; a member whose name crm does not translate keeps its name and its value. */
function placed(members: readonly Resolved[], asked: Asking): InputRow {
  const draft = createDraft({ line: 1, offset: 0, length: 0 }, false)
  for (const { name, path, value, column } of members) {
    if ('suggestion' in column || column.role !== 'field' || (column.field === name && isAsGiven(column, value)))
      setAtPath(draft.row.fields, path, value)
    else placeValue(draft, column, convertMember(value, column), value)
  }
  refuseFindings(members, asked, draft.findings)
  return draft.row
}

function isAsGiven({ reference, edit, check, type }: Column, value: JsonValue): boolean {
  return value === '' || !(reference || edit || check || type === 'list')
}

/** The list is read for names that crm does not know, and always asked of a server that lists its fields: they may have options. */
async function serverMembers({ noun, given }: GivenRequest, rules: RowRules): Promise<ServerMembers | undefined> {
  const own: readonly string[] = FIELDS[resourceOf(noun)]
  return rules.isSelecting || given.some(({ name }) => !own.includes(name)) ? rules.members() : undefined
}

interface Known {
  readonly members: readonly Resolved[]
  readonly server: ServerMembers | undefined
}

async function refuseUnknown(
  context: PlanningContext,
  { noun, of, isNewAllowed }: GivenRequest,
  { members, server }: Known,
): Promise<void> {
  const help = `crm fields ${noun}${typedProfile(context.command)}`
  const signed = members.find(({ name, column }) => SIGNED.test(name) && !('edit' in column))
  if (signed && !('suggestion' in signed.column && signed.column.suggestion !== undefined)) {
    throw new CrmError('usage', `${signed.flag} ${signed.name}: ${noun} have no such field with several values`, {
      hint: `${help} lists them`,
    })
  }
  if (isNewAllowed && !signed) return
  const unknown = members.filter(({ column }) => 'suggestion' in column)
  if (of === 'many' || unknown.length === 0) return
  const shown = server ? [] : await shownMembers(context, noun)
  const wrong = unknown.find(({ path: [name = ''] }) => !shown.includes(name))
  if (!wrong || !('suggestion' in wrong.column)) return
  const { suggestion } = wrong.column
  const meant = suggestion === undefined ? `${help} lists them;` : `did you mean ${suggestion}?`
  throw new CrmError('usage', `${wrong.flag} ${wrong.name}: ${noun} have no field of this name`, {
    hint: `${meant} --new-field writes it all the same`,
  })
}

/** Of the first page; none where it cannot be read. */
async function shownMembers({ list }: PlanningContext, noun: GivenRequest['noun']): Promise<readonly string[]> {
  try {
    for await (const { items } of list(noun)) return items.flatMap((record) => Object.keys(record))
  } catch (error) {
    if (!(error instanceof CrmError) || error.code === 'interrupted') throw error
  }
  return []
}

/** CrmError for two names of the same field. */
function refuseClashes(members: readonly Resolved[]): void {
  const columns = members.flatMap(({ column }) => ('suggestion' in column || column.role !== 'field' ? [] : [column]))
  const isWhole = (column: Column) => Object.keys(editOf(column)).length === 0
  for (const [at, column] of columns.entries()) {
    const { name, field, edit, label } = column
    const isSame = (each: Column) => each.edit === edit && each.label === label
    const other = columns
      .slice(0, at)
      .find((each) => each.field === field && (isSame(each) || isWhole(each) || isWhole(column)))
    if (!other) continue
    throw new CrmError('usage', `${other.name} and ${name} both write ${field}`, { hint: 'give one of them' })
  }
}

function refuseSided({ of, noun }: GivenRequest, columns: FormatSummary['columns']): void {
  const column = of === 'new' ? columns.find(({ isEdit }) => isEdit) : undefined
  if (!column) return
  const whole = column.name.replace(/[+-](?=\.|$)/, '')
  const { singular } = RESOURCES[resourceOf(noun)]
  throw new CrmError('usage', `${column.name} changes the values that a record has, and this ${singular} is new`, {
    hint: `give all its values: --set ${shellWord(whole)}=VALUES`,
  })
}

function refuseFindings(
  members: readonly Resolved[],
  { noun, command }: Asking,
  [finding]: readonly RowFinding[],
): void {
  if (!finding) return
  const { column: named = '', value, code, message } = finding
  const { flag = '--set', column } = members.find(({ name }) => name === named) ?? {}
  const { field, label, edit = 'set', reference } = column && !('suggestion' in column) ? column : { field: named }
  const byId = shellWord(`${linkText(field, label)}${EDIT_SIGNS[edit]}=ID`)
  const next = reference ? `${RESOURCES[reference.to].plural} list` : `fields ${noun}`
  throw new CrmError('usage', `${flag} ${shellWord(`${named}=${value ?? ''}`)}: ${message}`, {
    hint: code === 'ambiguous_reference' ? `${flag} ${byId} names one of them` : `crm ${next}${typedProfile(command)}`,
  })
}

/** The ids of the records that members name; returns the faults. */
async function placeReferences(
  context: PlanningContext,
  rules: RowRules,
  { row, columns }: { readonly row: InputRow; readonly columns: FormatSummary['columns'] },
): Promise<readonly RowFinding[]> {
  if (!row.references && !row.edits) return []
  const scratch = new Scratch(context.draftsFolder, 'given')
  try {
    const preview = { name: () => {} }
    const findings: RowFinding[] = []
    const source = withReferences(rowSource(row, columns), { context, rules, scratch, preview, rateShare: 1 })
    for await (const _ of source.rows((refused) => findings.push(...refused.findings)));
    return findings
  } finally {
    scratch.close()
  }
}

/** The row as an input of one record. */
function rowSource(row: InputRow, columns: FormatSummary['columns']): RowSource {
  return {
    summary: {
      ...{ format: 'json', encoding: 'utf-8', hasBom: false, delimiter: undefined, quote: undefined },
      ...{ lineEnd: undefined, head: undefined, columns },
    },
    blanks: { count: 0, lines: [] },
    findings: createFindings(undefined, (finding) => finding),
    changes: (fields, existing) => changesIn(fields, existing, false),
    async *rows() {
      yield [row]
    },
  }
}
