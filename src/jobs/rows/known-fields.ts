import { FIELDS, READ_ONLY_FIELDS } from '../../core/resources.ts'
import type { RowKind } from '../row.ts'

/** Where the value of a column goes: a member of the record, its id, the deal of a note; nowhere. */
export type Role = 'field' | 'id' | 'parent' | 'earlier_line' | 'ignored'

/** What a column of a failed-rows file is called: docs/imports.md. */
export const FAILED_PREFIX = '_crm_'
/** And its member in a file of JSON. */
export const FAILED_MEMBER = '_crm'
const LINE_COLUMN = '_crm_line'

/** What people call the fields: enough to ask whether that is meant, never to decide it. */
const ALIASES: Readonly<Record<string, string>> = {
  mail: 'email',
  emailaddress: 'email',
  fullname: 'name',
  contactname: 'name',
  displayname: 'name',
  dealname: 'name',
  title: 'name',
  phonenumber: 'phone',
  telephone: 'phone',
  telephonenumber: 'phone',
  tel: 'phone',
  mobile: 'phone',
  mobilephone: 'phone',
  companyname: 'company',
  organisation: 'company',
  organization: 'company',
  account: 'company',
  owner: 'owner_id',
  contactid: 'id',
  dealid: 'id',
  recordid: 'id',
  value: 'amount',
  price: 'amount',
  sum: 'amount',
  dealvalue: 'amount',
  status: 'stage',
  dealstage: 'stage',
  pipeline: 'pipeline_id',
  author: 'author_id',
  text: 'body',
  note: 'body',
  content: 'body',
  deal: 'deal_id',
}

export function fieldsOf(kind: RowKind): readonly string[] {
  return FIELDS[kind]
}

export function roleOf(kind: RowKind, field: string): Role {
  if (field === 'id') return 'id'
  if (kind === 'note' && field === 'deal_id') return 'parent'
  if (field === LINE_COLUMN) return 'earlier_line'
  if (field === FAILED_MEMBER || field.startsWith(FAILED_PREFIX)) return 'ignored'
  return (READ_ONLY_FIELDS as readonly string[]).includes(field) ? 'ignored' : 'field'
}

/** `E-Mail`, `owner ID`, `e_mail:`: one name to everybody but a program. */
export function foldName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+|[.:]+$/g, '')
}

/** The field that people who write this name mean, perhaps. */
export function aliasOf(kind: RowKind, name: string): string | undefined {
  const field = ALIASES[foldName(name)]
  return field !== undefined && fieldsOf(kind).includes(field) ? field : undefined
}
