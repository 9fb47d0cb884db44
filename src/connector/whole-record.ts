import { CrmError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import { type CrmRecord, RESOURCES, type Resource } from '../core/resources/registry.ts'
import type { FieldMap } from './field-map.ts'
import { compilePath, copyOf, type Path, writeAt } from './paths.ts'
import type { FieldParts, WrittenRecord } from './write-field.ts'

export interface WriterParts extends FieldParts {
  inside(server: JsonObject): JsonObject
  readonly connector: string
  readonly resource: Resource
}

/** The current record without what is never sent. */
export function wholeOf(current: JsonObject, parts: WriterParts, isLeftOut: (name: string) => boolean): JsonObject {
  const { document } = parts
  const whole = copyOf(current) as JsonObject
  if (document.inside === '.') for (const name of systemNames(parts)) delete whole[name]
  for (const name of Object.keys(whole)) if (isLeftOut(name)) delete whole[name]
  const readOnlyFields = parts.fields.filter(({ writes }) => writes.length === 0)
  const written = new Set(parts.fields.flatMap(({ writes }) => writes.map(({ text }) => text)))
  for (const path of readOnlyFields.flatMap(({ reads }) => reads)) {
    if (path.steps.length === 1 && !written.has(path.text)) writeAt(path, whole, undefined)
  }
  return whole
}

/** The members of a record that the server sets: its id, its times, its version. */
function systemNames({ document }: WriterParts): readonly string[] {
  const system = [document.id.at, document.created_at?.at, document.updated_at?.at, document.version, document.deleted]
  return system.flatMap((path) => (path === undefined ? [] : headsOf([compilePath(path)])))
}

function headsOf(paths: readonly Path[]): readonly string[] {
  return paths.flatMap(({ steps: [step] }) => (step?.type === 'member' ? [step.name] : []))
}

/** What a record in crm's names shows of members that no field writes, by the server's names. */
function unwrittenIn(record: CrmRecord, { fields, own }: WriterParts): JsonObject {
  const shown = Object.entries(record).map(([name, value]) => [own.ownNameOf(name), value] as const)
  const readOnly = fields.flatMap(({ name, reads: [read], writes }) =>
    writes.length === 0 && read?.steps.length === 1 ? [[headsOf([read])[0], record[name] ?? null] as const] : [],
  )
  return Object.fromEntries([...shown, ...readOnly].filter(([name]) => name !== undefined))
}

interface Whole {
  readonly parts: WriterParts
  readonly mapped: readonly FieldMap[]
  readonly isLeftOut: (name: string) => boolean
}

/**
 * CrmError `invalid_input` where a record that is sent whole would lose a member that it shows: one that is neither sent, nor
 * changed, nor set by the server, nor named by `drop`. A server that replaces the record would delete it. Before the record is
 * read, the one of the plan shows it.
 */
export function refuseLoss({ target, options, given }: WrittenRecord, { parts, mapped, isLeftOut }: Whole): void {
  const { current: server, record, drop = [], besides = [] } = options
  if (!options.isWhole || !(server || record)) return
  const inner = server ? parts.inside(server) : unwrittenIn(record ?? {}, parts)
  const sent = server ? target : wholeOf(inner, parts, isLeftOut)
  const { document, connector, resource } = parts
  const isNested = document.inside !== '.'
  const changed = headsOf(mapped.flatMap(({ writes }) => writes))
  const system = systemNames(parts)
  const kept = new Set([...Object.keys(sent), ...given, ...changed, ...drop, ...(isNested ? [] : system)])
  const outer = new Set([...headsOf([compilePath(document.inside)]), ...besides, ...drop, ...system])
  const losing = (shown: JsonObject, names: ReadonlySet<string>) =>
    Object.keys(shown).filter((name) => shown[name] !== null && !names.has(name))
  const lost = [...losing(inner, kept), ...(isNested && server ? losing(server, outer) : [])]
  if (lost.length === 0) return
  const { singular } = RESOURCES[resource]
  const names = lost.join(', ')
  throw new CrmError(
    'invalid_input',
    `the update sends the whole ${singular} and would leave out ${names}, which the record shows (connector ${connector})`,
    {
      hint: `expected drop: [${names}] in its update, if the server keeps them, or else no read_only for them; then crm connectors check`,
    },
  )
}
