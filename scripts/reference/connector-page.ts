import { CONNECTOR } from '../../src/api/connectors/grammar.ts'
import type { ObjectShape, Shape, TextFormat } from '../../src/api/connectors/shapes.ts'
import { MEMBERS } from './connector-members.ts'

const INTRODUCTION = `# The format of connectors

Made from the grammar by \`npm run reference\`. A connector is a YAML file (1.2, without anchors, aliases and tags); an editor checks it with
[schemas/connector.json](../../schemas/connector.json), and crm names each mistake with line and column. [Connectors](../connectors/README.md)
shows how one is made and used; [hubspot.yaml](../../connectors/hubspot.yaml) and its neighbours are examples.

- **Paths** name a place in JSON: \`a.b\`, \`[0]\`, \`[k=v]\` (the first element with this value), \`[]\` (each element), \`'a\\.b'\` (a dot in a
  name). \`.\` alone is the whole.
- **Placeholders** are inserted into texts: \`{id}\`, \`{record}\`, \`{parent}\`, \`{value}\` and variables. A text that is one placeholder
  keeps the type of the value; a member whose value is absent is left out; \`{{\` is a brace.
- **The address** of a request is origin, base, path of the resource and path of the operation.
- **Null** removes a member that \`extends\` or \`like\` brought along.`

/** Of texts, in the column of values. */
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
  program: 'jq program',
  resource: 'resource, such as contacts',
  field: 'name of a field',
  variable: 'name of a variable',
  connector: 'name: small letters, digits, hyphens',
}

/** `docs/reference/connector-format.md`: a table for each object of the grammar, in the order in which they are met. */
export function connectorPage(): string {
  const objects = new Map<string, ObjectShape>()
  collect(CONNECTOR, objects)
  return `${[INTRODUCTION, ...Array.from(objects.values(), section)].join('\n\n')}\n`
}

function collect(shape: Shape, objects: Map<string, ObjectShape>): void {
  if (shape.type === 'either') for (const each of shape.of) collect(each, objects)
  if (shape.type === 'list' || shape.type === 'map') collect(shape.of, objects)
  if (shape.type !== 'object' || objects.has(shape.name)) return
  objects.set(shape.name, shape)
  for (const member of Object.values(shape.members)) collect(member, objects)
}

function section({ name, members, required, some, oneOf }: ObjectShape): string {
  const rows = Object.entries(members).map(([key, shape]) => {
    const term = required.includes(key) ? `\`${key}\` (required)` : `\`${key}\``
    return `| ${term} | ${valueText(shape)} | ${escaped(MEMBERS[name]?.[key] ?? '')} |`
  })
  const rules = [
    ...some.map((names) => `At least one of ${names.join(', ')} is required.`),
    ...(oneOf.length > 0 ? [`${oneOf.join(' and ')} exclude each other.`] : []),
  ]
  const table = ['| member | value | meaning |', '|---|---|---|', ...rows].join('\n')
  return [`## ${name}`, table, ...rules.map(escaped)].join('\n\n')
}

/** What a value looks like; an object by the name of its table. */
function valueText(shape: Shape): string {
  switch (shape.type) {
    case 'text':
      return typeof shape.format === 'string' ? WORDS[shape.format] : shape.format.expected
    case 'choice':
      return shape.of.map((each) => `\`${each === '' ? "''" : each}\``).join(', ')
    case 'constant':
      return `\`${shape.value}\``
    case 'flag':
      return 'true or false'
    case 'integer':
      return `${shape.least} to ${shape.most}`
    case 'json':
      return shape.isTemplate ? 'any value, with placeholders' : 'any value'
    case 'list':
      return shape.most === 0 ? '`[]`' : `list: ${valueText(shape.of)}`
    case 'map':
      return shape.names === 'any'
        ? `map: ${valueText(shape.of)}`
        : `map by ${WORDS[shape.names]}: ${valueText(shape.of)}`
    case 'object':
      return `[${shape.name.replace('_', ' ')}](#${shape.name})`
    case 'either':
      return shape.of.map(valueText).join('; or ')
  }
}

/** Characters that end a cell or that Markdown reads as a link or a tag; `backticks` stay. */
function escaped(text: string): string {
  return text.replace(/[|<>*_[\]]/g, '\\$&')
}
