import { FIELDS, fieldOf, type ImportableResource, isReadOnly, RESOURCES } from '../../core/resources/registry.ts'

/** Where the value of a column goes: a member of the record, its id, the deal of a note; nowhere. */
export type Role = 'field' | 'id' | 'parent' | 'earlier_line' | 'ignored'

/** What a column of a failed-rows file is called: docs/imports.md. */
export const FAILED_PREFIX = '_crm_'
/** And its member in a file of JSON. */
export const FAILED_MEMBER = '_crm'
const LINE_COLUMN = '_crm_line'

export function fieldsOf(kind: ImportableResource): readonly string[] {
  return FIELDS[kind]
}

export function roleOf(kind: ImportableResource, field: string): Role {
  if (field === 'id') return 'id'
  if (kind === 'note' && field === 'deal_id') return 'parent'
  if (field === LINE_COLUMN) return 'earlier_line'
  if (field === FAILED_MEMBER || field.startsWith(FAILED_PREFIX)) return 'ignored'
  return isReadOnly(field) ? 'ignored' : 'field'
}

/** `E-Mail`, `owner ID`, `e_mail:`: one name to everybody but a program. */
export function foldName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+|[.:]+$/g, '')
}

/** The field that this name may mean: it is suggested, and never used without asking. */
export function aliasOf(kind: ImportableResource, name: string): string | undefined {
  const folded = foldName(name)
  if (folded === foldName(`${RESOURCES[kind].singular}id`) || folded === 'recordid') return 'id'
  return fieldsOf(kind).find((field) => fieldOf(kind, field)?.aliases?.includes(folded))
}
