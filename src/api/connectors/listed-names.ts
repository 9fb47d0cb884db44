import type { NamesDocument } from '../../connector/document.ts'
import { compilePath, optionalPath, readAll, readFirst } from '../../connector/paths.ts'
import type { Asked } from '../../core/asked-members.ts'
import { CrmError } from '../../core/errors.ts'
import { idText, type JsonValue } from '../../core/json.ts'
import { foldName } from '../../core/nearest.ts'
import { RESOURCES } from '../../core/resources/registry.ts'
import { badPage } from '../pages/page-errors.ts'
import type { Http } from '../transport/http.ts'
import type { Exchange } from './resource-exchange.ts'
import type { ResourceRules } from './resource-rules.ts'

/** A member that records of a resource can have, by the server's own name. */
export interface ListedName {
  readonly name: string
  /** The server sets it, and refuses it in a write. */
  readonly isReadOnly: boolean
  /** For people. */
  readonly label?: string | undefined
  /** In the server's own words. */
  readonly type?: string | undefined
  /** What its values are in JSON; undefined: texts, or not known. */
  readonly valueType?: 'number' | 'boolean' | undefined
  readonly isUnique?: boolean
  readonly isRequired?: boolean
  /** Undefined: any value, or not known. */
  readonly options?: readonly ListedOption[] | undefined
  /** It has several options: in a text, with semicolons between them, or in a list. */
  readonly isMany?: boolean
  readonly isList?: boolean
}

export interface ListedOption {
  /** A number where the server has numbers. */
  readonly value: string | number
  readonly label: string
}

interface NamesParts {
  readonly http: Http
  readonly exchange: Exchange
  readonly rules: ResourceRules
}

/** The members that can be asked for; undefined if the server lists none, or not to this key. */
export async function readListedNames(parts: NamesParts): Promise<readonly ListedName[] | undefined> {
  const { http, exchange, rules } = parts
  const asked = rules.names()
  if (!asked) return undefined
  const { plural } = RESOURCES[rules.resource]
  const texts = { action: `list the members of ${plural}`, command: `crm ${plural} list`, findCommand: undefined }
  const call = exchange.call(asked.request, texts)
  try {
    const names = namesIn((await http.request(call)).json, asked.document)
    if (names.length > 0) return names
  } catch (error) {
    const isRefused = error instanceof CrmError && (error.code === 'forbidden' || error.code === 'not_found')
    if (isRefused) return undefined
    throw error
  }
  throw badPage(call, `expected the names of members at ${asked.document.items}`, 'crm connectors check')
}

type Written = Readonly<Record<string, { readonly write: readonly string[] }>>

/** The name of a member by its label, without regard to case, blanks and signs; undefined where several have it. */
export function memberByLabel(listed: readonly ListedName[], fields: Written) {
  // A field may have the first value of a member.
  const memberIn = (write: readonly string[]) => write.join().replace(/\[(?:0\].*|\]\..*)$/, '')
  const fieldOf = new Map(Object.entries(fields).map(([field, { write }]) => [memberIn(write), field]))
  const byLabel = new Map<string, string | undefined>()
  for (const { name, label } of listed) {
    const folded = foldName(label ?? '')
    if (folded !== '') byLabel.set(folded, byLabel.has(folded) ? undefined : (fieldOf.get(name) ?? name))
  }
  return (label: string): string | undefined => byLabel.get(foldName(label))
}

/** Asks for each member that can be written; returns those for which a request has no room. */
export function askListed(
  { selection, map }: Pick<ResourceRules, 'selection' | 'map'>,
  listed: readonly ListedName[] | undefined,
): Asked['unasked'] {
  if (!selection.asked) return undefined
  if (!listed) return 'unknown'
  const isSet = ({ name, isReadOnly }: ListedName) => isReadOnly || map.isReadOnly(name)
  const left = selection.askWithin(listed.filter((one) => !isSet(one)).map(({ name }) => name))
  return left.length > 0 ? left : undefined
}

function namesIn(json: JsonValue | undefined, names: NamesDocument): readonly ListedName[] {
  const { options, many, numbers, booleans } = names
  const valueTypeOf = (type = '') =>
    numbers.includes(type) ? 'number' : booleans.includes(type) ? 'boolean' : undefined
  const at = {
    ...{ name: reader(names.at), label: reader(names.label), type: reader(names.type), unique: reader(names.unique) },
    ...{
      required: reader(names.required),
      readOnly: reader(names.read_only),
      writable: reader(names.writable),
      many: reader(many?.at),
    },
    ...{ only: reader(options?.only), value: reader(options?.value), optionLabel: reader(options?.label) },
  }
  const optionsPath = optionalPath(options?.items)
  const optionIn = (option: JsonValue): readonly ListedOption[] => {
    const own = at.value(option)
    const value = typeof own === 'number' ? own : textIn(own)
    return value === undefined ? [] : [{ value, label: textIn(at.optionLabel(option)) ?? String(value) }]
  }
  return readAll(compilePath(names.items), json ?? null).flatMap((item) => {
    const name = textIn(at.name(item))
    if (name === undefined) return []
    const type = textIn(at.type(item))
    const listed = optionsPath && at.only(item) !== false ? readAll(optionsPath, item).flatMap(optionIn) : []
    return [
      {
        ...{ name, isReadOnly: at.readOnly(item) === true || at.writable(item) === false },
        ...{ label: textIn(at.label(item)), type, valueType: valueTypeOf(type) },
        ...{ isUnique: isUnique(at.unique(item)), isRequired: at.required(item) === true },
        options: listed.length > 0 ? listed : undefined,
        isMany: many !== undefined && at.many(item) === many.is,
        isList: many?.as === 'list' && at.many(item) === many.is,
      },
    ]
  })
}

/** What stands at a path, which is compiled once for all items; nothing without one. */
function reader(text: string | undefined): (item: JsonValue) => JsonValue | undefined {
  const path = optionalPath(text)
  return (item) => path && readFirst(path, item)
}

/** Zoho states how it compares the values. */
function isUnique(value: JsonValue | undefined): boolean {
  return value === true || textIn(value) !== undefined
}

function textIn(value: JsonValue | undefined): string | undefined {
  return idText(value) || undefined
}
