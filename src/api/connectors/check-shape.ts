import { PLURALS } from './grammar.ts'
import { isElements, isMembers, type Located, meantHint, type Place, type Problems } from './located.ts'
import { ConnectorMistake, compilePath } from './paths.ts'
import { checkPattern } from './patterns.ts'
import { FORMATS, type ObjectShape, ruleOf, type Shape, type TextFormat, type TextRule } from './shapes.ts'
import { compileTemplate } from './templates.ts'

/** Adds a problem for each value that does not have the shape. Null stands for an absent member. */
export function checkShape(node: Located, shape: Shape, problems: Problems): void {
  const { value, place } = node
  if (shape.type === 'either') checkEither(node, shape.of, problems)
  else if (shape.type === 'json' && shape.isTemplate) checkTemplates(node, problems)
  else if (shape.type === 'text' && typeof value === 'string') checkText(value, shape.format, { place, problems })
  else if (shape.type === 'object' && isMembers(value)) checkObject(value, shape, { place, problems })
  else if (shape.type === 'list' && isElements(value)) checkList(node, value, { shape, problems })
  else if (shape.type === 'map' && isMembers(value)) {
    for (const [name, member] of value) checkNamed(name, member, shape, problems)
  } else if (!isScalarOf(value, shape)) wrongValue(node, shape, problems)
}

type ListShape = Extract<Shape, { type: 'list' }>

function checkList(
  node: Located,
  elements: readonly Located[],
  { shape, problems }: { shape: ListShape; problems: Problems },
): void {
  if (elements.length < shape.least || elements.length > shape.most) wrongValue(node, shape, problems)
  for (const element of elements) checkShape(element, shape.of, problems)
}

function isScalarOf(value: Located['value'], shape: Shape): boolean {
  if (shape.type === 'choice') return typeof value === 'string' && shape.of.includes(value)
  if (shape.type === 'constant') return value === shape.value
  if (shape.type === 'flag') return typeof value === 'boolean'
  if (shape.type === 'json') return true
  if (shape.type !== 'integer') return false
  return Number.isInteger(value) && Number(value) >= shape.least && Number(value) <= shape.most
}

/** The shape of the same JSON type says most about a value that is wrong. */
function checkEither(node: Located, shapes: readonly Shape[], problems: Problems): void {
  const alike = shapes.filter((shape) => jsonTypeOf(shape) === typeOf(node.value))
  const fitting = alike.find((shape) => shape.type === 'choice' && isScalarOf(node.value, shape))
  const chosen = fitting ?? alike.at(-1)
  if (chosen) checkShape(node, chosen, problems)
  else problems.add(node.place, `${shown(node)}, expected ${shapes.map(expectedOf).join(', or ')}`)
}

type JsonType = 'text' | 'number' | 'boolean' | 'null' | 'list' | 'map'

function typeOf(value: Located['value']): JsonType {
  if (isMembers(value)) return 'map'
  if (isElements(value)) return 'list'
  if (value === null) return 'null'
  return typeof value === 'string' ? 'text' : (typeof value as 'number' | 'boolean')
}

function jsonTypeOf(shape: Shape): JsonType {
  switch (shape.type) {
    case 'text':
    case 'choice':
      return 'text'
    case 'integer':
      return 'number'
    case 'constant':
      return shape.value === null ? 'null' : 'number'
    case 'flag':
      return 'boolean'
    case 'list':
      return 'list'
    default:
      return 'map'
  }
}

/** Whether null is a value of it, and not a removed member. */
export function takesNull(shape: Shape): boolean {
  if (shape.type === 'either') return shape.of.some(takesNull)
  return shape.type === 'json' || (shape.type === 'constant' && shape.value === null)
}

interface At {
  readonly place: Place
  readonly problems: Problems
}

function checkObject(
  members: ReadonlyMap<string, Located>,
  { members: known, required, some, oneOf, name }: ObjectShape,
  { place, problems }: At,
): void {
  for (const [key, member] of members) {
    const shape = Object.hasOwn(known, key) ? known[key] : undefined
    if (!shape) problems.add(member.keyPlace, unknownName(key, `a member of ${words(name)}`, Object.keys(known)))
    else if (member.value !== null || takesNull(shape)) checkShape(member, shape, problems)
  }
  const has = (key: string) => {
    const member = members.get(key)
    const shape = known[key]
    return member !== undefined && (member.value !== null || (shape !== undefined && takesNull(shape)))
  }
  for (const key of required) if (!has(key)) problems.add(place, `${key} is missing in ${words(name)}`)
  for (const keys of some)
    if (!keys.some(has)) problems.add(place, `${words(name)} has none of ${keys.join(', ')}, expected one`)
  const both = oneOf.filter(has)
  if (both.length > 1) problems.add(place, `${words(name)} has ${both.join(' and ')}, expected one of them`)
}

function words(name: string): string {
  return `"${name.replaceAll('_', ' ')}"`
}

function unknownName(name: string, what: string, known: readonly string[]): string {
  return `${JSON.stringify(name)} is not ${what}, expected one of ${known.join(', ')}${meantHint(name, known)}`
}

function checkNamed(name: string, member: Located, shape: Extract<Shape, { type: 'map' }>, problems: Problems): void {
  checkText(name, shape.names, { place: member.keyPlace, problems })
  if (member.value !== null || takesNull(shape.of)) checkShape(member, shape.of, problems)
}

function checkTemplates({ value, place }: Located, problems: Problems): void {
  if (typeof value === 'string') checkText(value, 'template', { place, problems })
  else if (isElements(value)) for (const element of value) checkTemplates(element, problems)
  else if (isMembers(value)) for (const member of value.values()) checkTemplates(member, problems)
}

const COMPILERS: Partial<Record<TextFormat, (text: string) => unknown>> = {
  path: compilePath,
  template: compileTemplate,
  'url-path': compileTemplate,
  'header-value': compileTemplate,
  pattern: checkPattern,
}

const FORMAT_TESTS = Object.fromEntries(
  Object.entries(FORMATS).map(([format, { pattern = '' }]) => [format, new RegExp(pattern, 'u')]),
) as Readonly<Record<TextFormat, RegExp>>

/** A mistake within the text is reported at its column. */
function checkText(text: string, format: TextFormat | TextRule, { place, problems }: At): void {
  if (format === 'resource') {
    if (!PLURALS.includes(text)) problems.add(place, unknownName(text, 'a resource', PLURALS))
    return
  }
  try {
    if (typeof format === 'string') COMPILERS[format]?.(text)
  } catch (error) {
    if (!(error instanceof ConnectorMistake)) throw error
    problems.add({ ...place, column: place.column + error.at }, `in ${short(text)}, ${error.message}`)
    return
  }
  const { pattern = '', expected } = ruleOf(format)
  const test = typeof format === 'string' ? FORMAT_TESTS[format] : new RegExp(pattern, 'u')
  if (!test.test(text)) problems.add(place, `${short(text)}, expected ${expected}`)
}

function wrongValue(node: Located, shape: Shape, problems: Problems): void {
  const hint = shape.type === 'choice' && typeof node.value === 'string' ? meantHint(node.value, shape.of) : ''
  problems.add(node.place, `${shown(node)}, expected ${expectedOf(shape)}${hint}`)
}

function expectedOf(shape: Shape): string {
  switch (shape.type) {
    case 'text':
      return shape.format === 'resource' ? `one of ${PLURALS.join(', ')}` : ruleOf(shape.format).expected
    case 'choice':
      return shape.of.length === 1 ? `${shape.of[0]}` : `one of ${shape.of.map((each) => each || "''").join(', ')}`
    case 'constant':
      return JSON.stringify(shape.value)
    case 'flag':
      return 'true or false'
    case 'integer':
      return `a whole number from ${shape.least} to ${shape.most}`
    case 'list':
      return shape.most === 0 ? '[]' : `a list of ${shape.least === 0 ? 'at most' : `${shape.least} to`} ${shape.most}`
    case 'json':
      return 'JSON'
    case 'either':
      return shape.of.map(expectedOf).join(', or ')
    case 'map':
      return 'a map of names to values'
    case 'object':
      return `a map with ${Object.keys(shape.members).join(', ')}`
  }
}

const SHOWN_CHARS = 60

function short(text: string): string {
  const quoted = JSON.stringify(text)
  return quoted.length <= SHOWN_CHARS ? quoted : `${quoted.slice(0, SHOWN_CHARS - 1).toWellFormed()}…`
}

function shown({ value }: Located): string {
  if (isMembers(value)) return 'a map'
  if (isElements(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`
  return typeof value === 'string' ? short(value) : JSON.stringify(value)
}
