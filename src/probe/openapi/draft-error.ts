import { defined, type JsonObject } from '../../core/json.ts'
import { bestNamed, foldedName, memberNamed, spellings } from '../names.ts'
import type { ApiMethod } from './read-description.ts'
import { joined, type Leaf, leavesOf } from './record-places.ts'
import { isNumber, type SchemaView } from './schemas.ts'

const MESSAGES = spellings('errormessage errordescription message detail error title description reason msg')
const CODES = spellings('code errorcode category errorname errortype type statuscode')
const REQUESTS = spellings('requestid correlationid traceid transactionid')
const LISTS = spellings('errors fielderrors validationerrors details violations invalidparams')
const FIELD_NAMES = spellings('field fieldname name path in attribute property pointer param source')

/** Where most refusals state their message and code; undefined if the document does not describe them. */
export function draftError(methods: readonly ApiMethod[]): JsonObject | undefined {
  const all = methods.flatMap(({ refusals }) => refusals.map(errorIn)).filter((error) => error !== undefined)
  const [most] = [...Map.groupBy(all, (error) => JSON.stringify(error)).values()].toSorted(
    (a, b) => b.length - a.length,
  )
  return most?.[0]
}

function errorIn(view: SchemaView): JsonObject | undefined {
  const list = memberNamed(view.members, LISTS)
  const items = list === undefined ? undefined : view.member(list)?.element
  const own = textsIn(view)
  // A list of errors alone: the first one is shown.
  const texts = own.length > 0 || list === undefined || !items ? own : textsIn(items, `${joined('.', list)}[0]`)
  const named = (names: readonly string[]) => bestNamed(texts, names)?.path
  const message = named(MESSAGES)
  if (message === undefined) return undefined
  const [name, text] = [FIELD_NAMES, MESSAGES].map((names) => items && memberNamed(items.members, names))
  const isOfFields =
    list !== undefined && name !== undefined && text !== undefined && items?.member(name)?.type !== 'object'
  return defined({
    message,
    code: named(CODES.filter((each) => each !== foldedName(message))),
    request: named(REQUESTS),
    fields: isOfFields ? { items: `${joined('.', list)}[]`, name, message: text } : undefined,
  })
}

function textsIn(view: SchemaView, from = '.'): readonly Leaf[] {
  const isText = ({ type }: SchemaView) => type === 'string' || type === 'unknown'
  return leavesOf(view, { from, depth: 2 }).filter((leaf) => isText(leaf.view) || isNumber(leaf.view))
}
