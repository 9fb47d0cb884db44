import type { JsonSchema, JsonValue } from '../../core/json.ts'
import type { HelpPart, HelpTopic } from './topic-texts.ts'

const INTRODUCTION: readonly HelpPart[] = [
  'A connector is a YAML file (1.2, without anchors, aliases and tags) that describes a CRM. An editor checks it with schemas/connector.json of the package, and crm names each mistake with line and column. crm connectors create makes one, and crm connectors show NAME prints one that is shipped.',
  {
    rows: [
      [
        'paths',
        "name a place in JSON: a.b, [0], [k=v] (the first element with this value), [] (each element), 'a\\.b' (a dot in a name); . alone is the whole",
      ],
      [
        'placeholders',
        'are inserted into texts: {id}, {record}, {parent}, {on.NAME}, {value}, {now} and variables. A text that is one placeholder keeps the type of the value; a member whose value is absent is left out; {{ is a brace',
      ],
      ['the address', 'of a request is origin, base and path; {object} in it is the path of the object'],
      ['null', 'removes a member that extends or like brought along'],
    ],
  },
]

/** `crm help connector-format`: each object of the format, in the order in which they are met. */
export function connectorTopic(schema: JsonSchema): HelpTopic {
  const { $defs = {}, ...root } = schema as Schema
  const objects = new Map<string, Schema>()
  collect('connector', root, { $defs, objects })
  return { title: 'Format of connectors', parts: [...INTRODUCTION, ...[...objects].flatMap(objectParts)] }
}

/** What the schema of a format has. */
interface Schema {
  readonly $defs?: Readonly<Record<string, Schema>>
  readonly $ref?: string
  readonly title?: string
  readonly description?: string
  readonly type?: string | readonly string[]
  readonly const?: JsonValue
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly not?: Schema
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly propertyNames?: Schema
  readonly additionalProperties?: Schema | false
}

interface Collecting {
  readonly $defs: Readonly<Record<string, Schema>>
  readonly objects: Map<string, Schema>
}

function collect(name: string | undefined, schema: Schema, { $defs, objects }: Collecting): void {
  const { $ref, items, anyOf = [], oneOf = [], properties, additionalProperties } = schema
  if (name !== undefined && properties) objects.set(name, schema)
  const more = [items, ...anyOf, ...oneOf, additionalProperties || undefined, ...Object.values(properties ?? {})]
  for (const each of more) if (each) collect(undefined, each, { $defs, objects })
  const referred = $ref === undefined ? '' : nameIn($ref)
  const definition = $defs[referred]
  // Templates are made of templates.
  if (definition?.properties && !objects.has(referred)) collect(referred, definition, { $defs, objects })
}

function nameIn($ref: string): string {
  return $ref.replace(/^.*\//, '')
}

function objectParts([name, { properties = {}, required = [], anyOf = [], not, dependentRequired = {} }]: readonly [
  string,
  Schema,
]): readonly HelpPart[] {
  const rows = Object.entries(properties).map(([key, each]) => {
    const value = required.includes(key) ? `required; ${valueText(each)}` : valueText(each)
    return [key, `${each.description} (${value})`] as const
  })
  const some = anyOf.flatMap((each) => each.required ?? [])
  return [
    { heading: name, rows },
    ...(some.length > 0 ? [`At least one of ${some.join(', ')} is required.`] : []),
    ...Object.entries(dependentRequired).map(([key, needed]) => `${key} needs ${needed.join(' and ')}.`),
    ...(not?.required ? [`${not.required.join(' and ')} exclude each other.`] : []),
  ]
}

/** What a value looks like; an object by its name. Null, which stands for an absent member, is not said again. */
function valueText(schema: Schema): string {
  const { $ref, title, enum: values, items, type } = schema
  const shapes = schema.anyOf ?? schema.oneOf
  if (shapes) return alternatives(shapes)
  if ($ref !== undefined) return nameIn($ref) === 'template' ? TEMPLATE : `see ${nameIn($ref)}`
  if (title !== undefined) return title
  if (values) return values.map((each) => (each === '' ? "''" : each)).join(', ')
  if (schema.const !== undefined) return String(schema.const)
  if ([type].flat().includes('boolean')) return 'true or false'
  if (type === 'integer') return `${schema.minimum} to ${schema.maximum}`
  if (items) return schema.maxItems === 0 ? '[]' : `list: ${valueText(items)}`
  return mapText(schema)
}

function mapText({ propertyNames, additionalProperties }: Schema): string {
  const named = propertyNames?.title
  const of = additionalProperties ? valueText(additionalProperties) : 'any value'
  return named === undefined || named === 'text' ? `map: ${of}` : `map by ${named}: ${of}`
}

const TEMPLATE = 'any value, with placeholders'

function alternatives(schemas: readonly Schema[]): string {
  return schemas
    .filter(({ type, title }) => type !== 'null' || title !== undefined)
    .map(valueText)
    .join('; or ')
}
