import { CrmError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import { RESOURCES, type Resource } from '../../core/resources/registry.ts'
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
  const system = [document.id.at, document.createdAt?.at, document.updatedAt?.at, document.version, document.deleted]
  return system.flatMap((path) => (path === undefined ? [] : headsOf([compilePath(path)])))
}

function headsOf(paths: readonly Path[]): readonly string[] {
  return paths.flatMap(({ steps: [step] }) => (step?.type === 'member' ? [step.name] : []))
}

/**
 * CrmError `invalid_input` where a record that is sent whole would lose a member that it shows: one that is neither sent, nor
 * changed, nor set by the server, nor named by `drop`. A server that replaces the record would delete it.
 */
export function refuseLoss(
  { target, options, given }: WrittenRecord,
  { parts, mapped }: { readonly parts: WriterParts; readonly mapped: readonly FieldMap[] },
): void {
  const { current: server } = options
  if (!options.isWhole || !server) return
  const { document, connector, resource } = parts
  const isNested = document.inside !== '.'
  const changed = headsOf(mapped.flatMap(({ writes }) => writes))
  const kept = new Set([...Object.keys(target), ...given, ...changed, ...(options.drop ?? [])])
  const outer = new Set([
    ...headsOf([compilePath(document.inside)]),
    ...(options.besides ?? []),
    ...(options.drop ?? []),
  ])
  const system = systemNames(parts)
  const losing = (record: JsonObject, isKept: (name: string) => boolean, ours: readonly string[]) =>
    Object.keys(record).filter((name) => record[name] !== null && !isKept(name) && !ours.includes(name))
  const lost = [
    ...losing(parts.inside(server), (name) => kept.has(name), isNested ? [] : system),
    ...(isNested ? losing(server, (name) => outer.has(name), system) : []),
  ]
  if (lost.length === 0) return
  const { singular } = RESOURCES[resource]
  const names = lost.join(', ')
  throw new CrmError(
    'invalid_input',
    `the update sends the whole ${singular} and would leave out ${names}, which the record shows (connector ${connector}); nothing was sent`,
    {
      hint: `in its update, drop: [${names}] says that the server keeps them; else take them out of read_only; then crm connectors check`,
    },
  )
}
