import type { ObjectShape, Shape, TextFormat } from '../../api/connectors/shapes.ts'
import { MEMBERS } from './connector-members.ts'
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
        'are inserted into texts: {id}, {record}, {parent}, {value} and variables. A text that is one placeholder keeps the type of the value; a member whose value is absent is left out; {{ is a brace',
      ],
      ['the address', 'of a request is origin, base, path of the resource and path of the operation'],
      ['null', 'removes a member that extends or like brought along'],
    ],
  },
]

/** Of texts, where a value is described. */
const WORDS: Readonly<Record<TextFormat, string>> = {
  any: 'text',
  path: 'path',
  template: 'text with placeholders',
  'header-name': 'name of a header',
  'header-value': 'ASCII text',
  parameter: 'name of a parameter',
  'url-path': 'path of a URL',
  origin: 'URL without a path',
  duration: 'time, such as 10s',
  pattern: 'regular expression',
  resource: 'resource, such as contacts',
  field: 'name of a field',
  variable: 'name of a variable',
  connector: 'small letters, digits, hyphens',
}

/** `crm help connector-format`: each object of the grammar, in the order in which they are met. */
export function connectorTopic(grammar: ObjectShape): HelpTopic {
  const objects = new Map<string, ObjectShape>()
  collect(grammar, objects)
  return { title: 'Format of connectors', parts: [...INTRODUCTION, ...[...objects.values()].flatMap(objectParts)] }
}

function collect(shape: Shape, objects: Map<string, ObjectShape>): void {
  if (shape.type === 'either') for (const each of shape.of) collect(each, objects)
  if (shape.type === 'list' || shape.type === 'map') collect(shape.of, objects)
  if (shape.type !== 'object' || objects.has(shape.name)) return
  objects.set(shape.name, shape)
  for (const member of Object.values(shape.members)) collect(member, objects)
}

function objectParts({ name, members, required, some, oneOf }: ObjectShape): readonly HelpPart[] {
  const rows = Object.entries(members).map(([key, shape]) => {
    const value = required.includes(key) ? `required; ${valueText(shape)}` : valueText(shape)
    return [key, `${MEMBERS[name]?.[key]} (${value})`] as const
  })
  return [
    { heading: name, rows },
    ...some.map((names) => `At least one of ${names.join(', ')} is required.`),
    ...(oneOf.length > 0 ? [`${oneOf.join(' and ')} exclude each other.`] : []),
  ]
}

/** What a value looks like; an object by its name. */
function valueText(shape: Shape): string {
  switch (shape.type) {
    case 'text':
      return typeof shape.format === 'string' ? WORDS[shape.format] : shape.format.expected
    case 'choice':
      return shape.of.map((each) => (each === '' ? "''" : each)).join(', ')
    case 'constant':
      return String(shape.value)
    case 'flag':
      return 'true or false'
    case 'integer':
      return `${shape.least} to ${shape.most}`
    case 'json':
      return shape.isTemplate ? 'any value, with placeholders' : 'any value'
    case 'list':
      return shape.most === 0 ? '[]' : `list: ${valueText(shape.of)}`
    case 'map':
      return shape.names === 'any'
        ? `map: ${valueText(shape.of)}`
        : `map by ${WORDS[shape.names]}: ${valueText(shape.of)}`
    case 'object':
      return `see ${shape.name}`
    case 'either':
      return shape.of.map(valueText).join('; or ')
  }
}
