import { isReadOnly, type Resource } from '../core/resources/registry.ts'
import type { ValueType, WireForm } from './document.ts'
import {
  isElements,
  isMembers,
  type Located,
  meantHint,
  memberAt,
  membersOf,
  type Problems,
  textIn,
} from './located.ts'
import { defaultType } from './normal-fields.ts'

export interface ObjectCheck {
  readonly tree: Located
  /** What it is; undefined where no command knows it. */
  readonly kind: Resource | undefined
  readonly object: Located
  readonly variables: readonly string[]
  readonly problems: Problems
}

/** The forms on the wire that a type has. */
const FORMS: Readonly<Record<ValueType | 'ref', readonly WireForm[]>> = {
  ref: ['string', 'integer'],
  id: ['string', 'integer'],
  number: ['string', 'cents'],
  integer: ['string'],
  time: ['rfc3339', 'unix', 'unix_ms', 'YYYY-MM-DD hh:mm:ss', 'string'],
  date: ['rfc3339', 'unix', 'unix_ms', 'string'],
  string: [],
  html: [],
  any: [],
}

export function checkFields(check: ObjectCheck): void {
  const { object, problems } = check
  const writtenBy = new Map<string, string>()
  const take = (path: Located, name: string) => {
    const text = textIn(path) ?? ''
    const before = writtenBy.get(text)
    if (before !== undefined && before !== name) {
      problems.add(path.place, `${JSON.stringify(text)} is written by ${before} already, expected one field for it`)
    }
    writtenBy.set(text, name)
  }
  for (const [name, field] of membersOf(memberAt(object, 'fields'))) {
    if (isReadOnly(name)) {
      problems.add(field.keyPlace, `${name} is no field to map, expected it in record`)
    }
    for (const path of writesOf(field)) take(path, name)
    if (isMembers(field.value)) checkField(name, field, check)
  }
  for (const operation of ['create', 'update']) {
    for (const [member, { keyPlace }] of membersOf(memberAt(object, 'verbs', operation, 'set'))) {
      const field = writtenBy.get(member)
      if (field !== undefined)
        problems.add(keyPlace, `${member} is written by the field ${field}, expected it in one place`)
    }
  }
}

function pathsIn(node: Located | undefined): readonly Located[] {
  if (!node || node.value === null) return []
  return isElements(node.value) ? node.value : [node]
}

function writesOf(field: Located): readonly Located[] {
  if (!isMembers(field.value)) return pathsIn(field)
  const parts = membersOf(field)
  return pathsIn(parts.get('write') ?? parts.get('at') ?? parts.get('join'))
}

function checkField(name: string, field: Located, check: ObjectCheck): void {
  const { tree, problems } = check
  const parts = membersOf(field)
  const both = ['at', 'join'].filter((key) => parts.has(key))
  if (both.length > 1) problems.add(field.place, `${name} has at and join, expected one of them`)
  if (both.length === 1 && parts.has('read') && parts.has('write')) {
    problems.add(field.place, `${name} has ${both[0]}, read and write, expected ${both[0]} alone or read and write`)
  }
  for (const key of ['lone', 'empty']) expectBeside(key, 'join', { parts, what: 'the parts of a text', problems })
  const count = pathsIn(parts.get('at') ?? parts.get('write')).length
  if (count > 1 && !parts.has('map'))
    problems.add(field.place, `${name} has several paths, expected join, or a map of its values`)
  const most = parts.get('max')
  if (isElements(most?.value) && most.value.length !== writesOf(field).length) {
    problems.add(most.place, `max has ${most.value.length} numbers, expected one for each path that is written`)
  }
  checkForm(parts, defaultType(check.kind, name), problems)
  const { ref, within } = { ref: parts.get('ref'), within: parts.get('within') }
  const referred = ref && expectObject(ref, tree, problems)
  expectBeside('within', 'ref', { parts, what: 'the object whose records it narrows', problems })
  if (!referred) return
  if (!membersOf(memberAt(referred, 'verbs')).has('list'))
    problems.add(ref.place, `${textIn(ref)} has no list, expected one, to find ids by names`)
  const theirs = ['id', ...membersOf(memberAt(referred, 'fields')).keys()]
  for (const [their, { keyPlace }] of membersOf(within)) expectName(their, keyPlace, { fields: theirs, problems })
}

interface Beside {
  readonly parts: ReadonlyMap<string, Located>
  readonly what: string
  readonly problems: Problems
}

function expectBeside(key: string, other: string, { parts, what, problems }: Beside): void {
  const node = parts.get(key)
  if (node && !parts.has(other)) problems.add(node.place, `${key} has no ${other}, expected ${what}`)
}

function checkForm(of: ReadonlyMap<string, Located>, usual: ValueType, problems: Problems): void {
  const as = of.get('as')
  const form = textIn(as)
  const type = of.has('ref') ? 'ref' : (textIn(of.get('type')) ?? usual)
  if (!as || form === undefined || !Object.hasOwn(FORMS, type)) return
  const forms = FORMS[type as ValueType | 'ref']
  if (forms.some((each) => each === form)) return
  const expected = forms.length === 0 ? 'no as' : `one of ${forms.join(', ')}`
  problems.add(as.place, `${form} is no form of ${type === 'ref' ? 'an id' : `the type ${type}`}, expected ${expected}`)
}

export function expectName(
  name: string,
  place: Located['place'],
  { fields, problems }: { fields: readonly string[]; problems: Problems },
): void {
  if (fields.includes(name)) return
  problems.add(
    place,
    `${JSON.stringify(name)} is not a field of this object, expected one of ${fields.join(', ')}${meantHint(name, fields)}`,
  )
}

/** The object that the text names; undefined, with a problem, if the connector has none. */
export function expectObject(node: Located, tree: Located, problems: Problems): Located | undefined {
  const name = textIn(node)
  const all = membersOf(memberAt(tree, 'objects'))
  const found = name === undefined ? undefined : all.get(name)
  if (found || name === undefined) return found
  const names = [...all.keys()]
  problems.add(
    node.place,
    `${JSON.stringify(name)} is not an object of this connector, expected one of ${names.join(', ')}${meantHint(name, names)}`,
  )
  return undefined
}
