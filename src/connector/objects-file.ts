import { CrmError } from '../core/errors.ts'
import { ID_PREFIXES } from '../core/ids.ts'
import type { ResourceDefinition } from '../core/resources/field.ts'
import {
  DESCRIBED_TYPES,
  type DescribedObject,
  type DescribedObjects,
  OBJECT_NAME,
} from '../core/resources/own-objects.ts'
import { READ_ONLY_FIELDS, RESOURCES } from '../core/resources/registry.ts'
import { choice, FLAG, list, map, member, object, required, text } from './format-parts.ts'
import { type Located, meantHint, memberAt, Problems, readLocated } from './located.ts'
import { readShape } from './read-shape.ts'
import { singularOf } from './singular.ts'

const NAME = text({
  expected: 'a name of small letters, digits and single _, with a letter after each _',
  pattern: OBJECT_NAME,
})

const TEXT = text('any')

const FIELD = object(
  'ownField',
  {
    label: member('name for people', TEXT),
    about: member('what it is', TEXT),
    type: member('type of the value, string unless given', choice(DESCRIBED_TYPES)),
    many: member('true: a list of texts, or of ids', FLAG),
    options: member('the values that it may have', list(TEXT, { least: 1, isSet: true })),
    required: member('true: a record must have it', FLAG),
    unique: member('true: no two records have the same value', FLAG),
    to: member('object whose ids it has, such as contacts', NAME),
  },
  {
    check: ({ type = 'string', many, options, to, unique }) => {
      const isText = type === 'string'
      if (to !== undefined && !isText && type !== 'id')
        return mistake('type', `${type} is no id, expected none with to`)
      if (options && (!isText || to !== undefined)) return mistake('options', 'expected options of a string alone')
      if (many && !isText && type !== 'id') return mistake('many', 'expected a list of strings or ids alone')
      return many && unique ? mistake('unique', 'a list of texts cannot be unique, expected one value') : undefined
    },
  },
)

function mistake(at: string, message: string) {
  return { at: [at], message }
}

const OBJECT = object('ownObject', {
  one: member('its singular, such as machine', NAME),
  label: member('name for people', TEXT),
  about: member('what its records are', TEXT),
  fields: required('fields by name', map(NAME, FIELD)),
})

const OBJECTS = object('ownObjects', { objects: required('objects by their plural', map(NAME, OBJECT)) })

const BUILT_IN = Object.values<ResourceDefinition>(RESOURCES).filter(({ isOwn }) => !isOwn)

const TAKEN_NOUNS: readonly string[] = [
  ...['graphql', 'history', 'key', 'objects', 'records'],
  ...BUILT_IN.map(({ plural }) => plural),
]

/** Names of types of GraphQL, and starts of ids. */
const TAKEN_SINGULARS: readonly string[] = [
  ...['query', 'mutation', 'subscription', 'node', 'change', 'delivery', 'string', 'float', 'boolean'],
  ...BUILT_IN.map(({ singular }) => singular),
  ...ID_PREFIXES.map((prefix) => prefix.replace(/_$/, '')),
]
const TAKEN_FIELDS: readonly string[] = [...READ_ONLY_FIELDS, 'json', 'history', 'if_version']

/**
 * Reads a file of `crm serve --objects`, YAML or JSON; `known`: the objects that the database has. CrmError `invalid_input` with
 * all mistakes, each with file, line and column.
 */
export function readObjectsFile(fileName: string, written: string, known: DescribedObjects): DescribedObjects {
  const problems = new Problems()
  const tree = readLocated(fileName, written, problems)
  const read = tree && readShape(tree, OBJECTS, problems)
  if (tree && read) {
    const objects = Object.fromEntries(
      Object.entries(read.objects).map(([plural, given]) => [
        plural,
        { ...given, one: given.one ?? singularOf(plural) },
      ]),
    )
    checkNames(memberAt(tree, 'objects') ?? tree, objects, { known, problems })
    if (problems.texts.length === 0) return objects
  }
  throw new CrmError('invalid_input', problems.texts.join('; '), {
    lines: problems.texts,
    hint: 'an object is written so: objects: { machines: { fields: { serial: { unique: true } } } }',
  })
}

interface Checking {
  readonly known: DescribedObjects
  readonly problems: Problems
}

function checkNames(tree: Located, objects: DescribedObjects, { known, problems }: Checking): void {
  const all = { ...known, ...objects }
  const nouns = [...BUILT_IN.map(({ plural }) => plural), ...Object.keys(all)]
  for (const [plural, { one, fields }] of Object.entries(objects)) {
    const object = memberAt(tree, plural) ?? tree
    const place = memberAt(object, 'one')?.place ?? object.keyPlace
    if (TAKEN_NOUNS.includes(plural) && !known[plural])
      problems.add(object.keyPlace, `${plural} is taken by crm, expected another name`)
    else for (const fault of singularFaults(plural, one, { known, all })) problems.add(place, fault)
    checkFields(object, fields, nouns, problems)
  }
}

function checkFields(
  object: Located,
  fields: DescribedObject['fields'],
  nouns: readonly string[],
  problems: Problems,
): void {
  for (const [name, { to }] of Object.entries(fields)) {
    const field = memberAt(object, 'fields', name) ?? object
    if (TAKEN_FIELDS.includes(name)) problems.add(field.keyPlace, `${name} is taken by crm, expected another name`)
    if (to !== undefined && !nouns.includes(to))
      problems.add(memberAt(field, 'to')?.place ?? field.place, noObject(to, nouns))
  }
}

function noObject(to: string, nouns: readonly string[]): string {
  return `${JSON.stringify(to)} is no object, expected one of ${nouns.join(', ')}${meantHint(to, nouns)}`
}

function singularFaults(
  plural: string,
  one: string,
  { known, all }: Readonly<Record<'known' | 'all', DescribedObjects>>,
): readonly string[] {
  if (one === plural) return [`${plural} has no singular of its own, expected one: ...`]
  // An object that is older than one of crm keeps its name.
  if (TAKEN_SINGULARS.includes(one) && known[plural]?.one !== one)
    return [`${one} is taken by crm, expected another one: ...`]
  const twin = Object.keys(all).find((other) => other !== plural && all[other]?.one === one)
  if (twin !== undefined) return [`${one} is the singular of ${twin}, too, expected another one: ...`]
  const before = known[plural]?.one ?? one
  return before === one ? [] : [`the database has ${plural} with ids of ${before}_, expected one: ${before}`]
}
