import type { JsonObject } from '../../core/json.ts'
import type { ApiMethod } from './api-description.ts'
import { joined } from './record-places.ts'
import type { Schemas, SchemaView } from './schemas.ts'
import { foldedName, memberNamed } from './server-names.ts'

const MESSAGES = [
  ...['errormessage', 'errordescription', 'message', 'detail', 'error', 'title', 'description', 'reason', 'msg'],
]
const CODES = ['code', 'errorcode', 'category', 'errorname', 'errortype', 'type', 'statuscode']
const REQUESTS = ['requestid', 'correlationid', 'traceid', 'transactionid']
const LISTS = ['errors', 'fielderrors', 'validationerrors', 'details', 'violations', 'invalidparams']
const FIELD_NAMES = ['field', 'fieldname', 'name', 'path', 'in', 'attribute', 'property', 'pointer', 'param', 'source']

interface Text {
  readonly path: string
  readonly name: string
}

/** Where a refusal states its message and code; undefined if the document does not describe its refusals. */
export function draftError(methods: readonly ApiMethod[], schemas: Schemas): JsonObject | undefined {
  const counts = new Map<string, { readonly error: JsonObject; count: number }>()
  for (const refusal of methods.flatMap(({ refusals }) => refusals)) {
    const error = errorIn(refusal, schemas)
    if (!error) continue
    const text = JSON.stringify(error)
    const known = counts.get(text)
    if (known) known.count += 1
    else counts.set(text, { error, count: 1 })
  }
  return [...counts.values()].toSorted((one, other) => other.count - one.count)[0]?.error
}

function errorIn(view: SchemaView, schemas: Schemas): JsonObject | undefined {
  const texts = textsIn(view, schemas, '.', 0)
  const named = (names: readonly string[]) =>
    names.flatMap((name) => texts.find((text) => foldedName(text.name) === name) ?? [])[0]?.path
  const message = named(MESSAGES)
  if (message === undefined) return undefined
  const code = named(CODES.filter((name) => name !== foldedName(message)))
  const request = named(REQUESTS)
  return {
    message,
    ...(code !== undefined && { code }),
    ...(request !== undefined && { request }),
    ...fieldErrors(view, schemas),
  }
}

/** Of each object of a refusal. */
const MAX_MEMBERS = 50

function textsIn(view: SchemaView, schemas: Schemas, from: string, depth: number): readonly Text[] {
  const found = [...view.members.keys()].slice(0, MAX_MEMBERS).flatMap((name) => {
    const member = schemas.member(view, name)
    const path = joined(from, name)
    if (member?.type === 'object' && depth < 2) return textsIn(member, schemas, path, depth + 1)
    const isText =
      member?.type === 'string' || member?.type === 'unknown' || member?.type === 'integer' || member?.type === 'number'
    return isText ? [{ path, name }] : []
  })
  if (found.length > 0 || depth > 0) return found
  // A list of errors alone: the first one is shown.
  const list = memberNamed(view.members, LISTS)
  const items = list === undefined ? undefined : schemas.view(schemas.member(view, list)?.items)
  return list !== undefined && items ? textsIn(items, schemas, `${joined(from, list)}[0]`, depth + 1) : []
}

function fieldErrors(view: SchemaView, schemas: Schemas): JsonObject {
  const list = memberNamed(view.members, LISTS)
  const member = list === undefined ? undefined : schemas.member(view, list)
  if (list === undefined || member?.type !== 'array') return {}
  const items = schemas.view(member.items)
  const name = memberNamed(items.members, FIELD_NAMES)
  const message = memberNamed(items.members, MESSAGES)
  if (name === undefined || message === undefined || schemas.member(items, name)?.type === 'object') return {}
  return { fields: { items: `${joined('.', list)}[]`, name, message } }
}
