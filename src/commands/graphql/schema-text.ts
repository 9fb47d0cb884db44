import { CrmError } from '../../core/errors.ts'

/** Deep enough for `[[X!]!]!`; servers limit the depth of queries. */
const TYPE =
  'kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } }'
const VALUE = `name description defaultValue type { ${TYPE} }`

/** The whole schema, as the specification of GraphQL (October 2021, section 4) names its parts. */
export const SCHEMA_QUERY = `query Schema { __schema {
  queryType { name } mutationType { name } subscriptionType { name }
  types { kind name description
    fields(includeDeprecated: true) { name description isDeprecated deprecationReason args { ${VALUE} } type { ${TYPE} } }
    inputFields { ${VALUE} } interfaces { name } possibleTypes { name }
    enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason } }
  directives { name description locations args { ${VALUE} } }
} }`

interface TypeRef {
  readonly kind: string
  readonly name: string | null
  readonly ofType?: TypeRef | null
}

interface Described {
  readonly name: string
  readonly description: string | null
}

interface InputValue extends Described {
  readonly defaultValue: string | null
  readonly type: TypeRef
}

interface Deprecable extends Described {
  readonly isDeprecated: boolean
  readonly deprecationReason: string | null
}

interface FieldOfType extends Deprecable {
  readonly args: readonly InputValue[]
  readonly type: TypeRef
}

interface SchemaType extends Described {
  readonly kind: string
  readonly fields: readonly FieldOfType[] | null
  readonly inputFields: readonly InputValue[] | null
  readonly interfaces: readonly { readonly name: string }[] | null
  readonly possibleTypes: readonly { readonly name: string }[] | null
  readonly enumValues: readonly Deprecable[] | null
}

interface Directive extends Described {
  readonly locations: readonly string[]
  readonly args: readonly InputValue[]
}

export interface IntrospectedSchema {
  readonly queryType: { readonly name: string } | null
  readonly mutationType: { readonly name: string } | null
  readonly subscriptionType: { readonly name: string } | null
  readonly types: readonly SchemaType[]
  readonly directives: readonly Directive[]
}

const BUILT_IN_TYPES = ['String', 'Int', 'Float', 'Boolean', 'ID']
const BUILT_IN_DIRECTIVES = ['include', 'skip', 'deprecated', 'specifiedBy', 'oneOf']

/** The schema in the schema definition language, in alphabetical order. */
export function introspectedText(schema: IntrospectedSchema): string {
  const own = schema.types.filter(({ name }) => !name.startsWith('__') && !BUILT_IN_TYPES.includes(name))
  const directives = schema.directives.filter(({ name }) => !BUILT_IN_DIRECTIVES.includes(name))
  const parts = [rootText(schema), ...byName(directives).map(directiveText), ...byName(own).map(typeText)]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function byName<One extends Described>(all: readonly One[]): readonly One[] {
  return all.toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/** Empty for the usual names, which need no statement. */
function rootText({ queryType, mutationType, subscriptionType }: IntrospectedSchema): string {
  const roots = { query: queryType, mutation: mutationType, subscription: subscriptionType }
  const given = Object.entries(roots).flatMap(([operation, type]) => (type ? [[operation, type.name] as const] : []))
  const isUsual = given.every(([operation, name]) => name.toLowerCase() === operation && name !== operation)
  return isUsual ? '' : `schema {\n${given.map(([operation, name]) => `  ${operation}: ${name}\n`).join('')}}`
}

function directiveText({ name, description, locations, args }: Directive): string {
  return `${comment(description)}directive @${name}${argsText(args)} on ${locations.join(' | ')}`
}

function typeText(type: SchemaType): string {
  const { kind, name, description } = type
  return `${comment(description)}${(KINDS[kind] ?? unknownKind)(type, name)}`
}

const KINDS: Readonly<Record<string, (type: SchemaType, name: string) => string>> = {
  SCALAR: (_, name) => `scalar ${name}`,
  OBJECT: (type, name) => `type ${name}${implementsText(type)} ${block((type.fields ?? []).map(fieldText))}`,
  INTERFACE: (type, name) => `interface ${name}${implementsText(type)} ${block((type.fields ?? []).map(fieldText))}`,
  UNION: ({ possibleTypes }, name) => `union ${name} = ${(possibleTypes ?? []).map((each) => each.name).join(' | ')}`,
  ENUM: ({ enumValues }, name) =>
    `enum ${name} ${block((enumValues ?? []).map((value) => `${comment(value.description, '  ')}  ${value.name}${deprecation(value)}`))}`,
  INPUT_OBJECT: ({ inputFields }, name) =>
    `input ${name} ${block((inputFields ?? []).map((value) => `${comment(value.description, '  ')}  ${valueText(value)}`))}`,
}

function unknownKind({ kind, name }: SchemaType): never {
  throw new CrmError('bad_answer', `the type ${name} of the schema is of the unknown kind ${kind}`, {
    hint: 'crm graphql --sdl -o json prints the schema as the server sent it',
  })
}

function implementsText({ interfaces }: SchemaType): string {
  return interfaces?.length ? ` implements ${interfaces.map(({ name }) => name).join(' & ')}` : ''
}

function block(lines: readonly string[]): string {
  return `{\n${lines.join('\n')}\n}`
}

function fieldText(field: FieldOfType): string {
  const { name, description, args, type } = field
  return `${comment(description, '  ')}  ${name}${argsText(args)}: ${refText(type)}${deprecation(field)}`
}

function argsText(args: readonly InputValue[]): string {
  return args.length === 0 ? '' : `(${args.map(valueText).join(', ')})`
}

function valueText({ name, type, defaultValue }: InputValue): string {
  return `${name}: ${refText(type)}${defaultValue === null ? '' : ` = ${defaultValue}`}`
}

function refText({ kind, name, ofType }: TypeRef): string {
  if (name !== null) return name
  if (!ofType) {
    throw new CrmError('bad_answer', 'a type of the schema is nested too deeply to be shown', {
      hint: 'crm graphql --sdl -o json prints the schema as the server sent it',
    })
  }
  return kind === 'LIST' ? `[${refText(ofType)}]` : `${refText(ofType)}!`
}

function deprecation({ isDeprecated, deprecationReason }: Deprecable): string {
  if (!isDeprecated) return ''
  return deprecationReason === null ? ' @deprecated' : ` @deprecated(reason: ${JSON.stringify(deprecationReason)})`
}

function comment(description: string | null, indent = ''): string {
  if (description === null || description === '') return ''
  const text = description.replaceAll('"""', '\\"""')
  const isLine = !text.includes('\n') && !text.endsWith('"') && !text.endsWith('\\')
  if (isLine) return `${indent}"""${text}"""\n`
  const lines = text.split('\n').map((line) => (line === '' ? '' : indent + line))
  return `${indent}"""\n${lines.join('\n')}\n${indent}"""\n`
}
