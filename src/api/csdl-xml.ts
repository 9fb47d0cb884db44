import { parseXml, XmlElement, XmlError } from '@rgrove/parse-xml'
import { defined, type JsonObject, type JsonValue } from '../core/json.ts'

/**
 * CSDL in XML (OData 4.0 and 4.01) as CSDL in JSON, as far as csdl.ts reads it; for other texts, a clause that says what is wrong.
 * Document types are not read: a reference to an entity of one is an error.
 */
export function csdlOfXml(text: string): JsonObject | string {
  let root: XmlElement | null
  try {
    root = parseXml(text).root
  } catch (error) {
    // The parser calls itself for each level.
    if (error instanceof RangeError) return 'its XML is nested too deep'
    if (!(error instanceof XmlError)) throw error
    return `its XML is not well-formed at line ${error.line}, column ${error.column}`
  }
  if (!root || nameOf(root) !== 'Edmx' || !root.attributes.Version?.startsWith('4.'))
    return 'its XML is no CSDL of OData 4'
  const schemas = within(root, 'DataServices').flatMap((services) => within(services, 'Schema'))
  const containers = schemas.flatMap((schema) =>
    within(schema, 'EntityContainer').map((container) => `${schema.attributes.Namespace}.${container.attributes.Name}`),
  )
  return {
    ...defined({ $EntityContainer: containers[0] }),
    ...Object.fromEntries(schemas.map((schema) => [schema.attributes.Namespace, schemaOf(schema)])),
  }
}

/** Whatever prefix its namespace has. */
function nameOf({ name }: XmlElement): string {
  return name.slice(name.indexOf(':') + 1)
}

function within(parent: XmlElement, name?: string): XmlElement[] {
  const elements = parent.children.filter((child) => child instanceof XmlElement)
  return name === undefined ? elements : elements.filter((element) => nameOf(element) === name)
}

function members(parent: XmlElement, name: string, of: (element: XmlElement) => JsonValue): JsonObject {
  return Object.fromEntries(within(parent, name).map((element) => [element.attributes.Name, of(element)]))
}

function schemaOf(schema: XmlElement): JsonObject {
  const targets = Object.groupBy(within(schema, 'Annotations'), ({ attributes }) => attributes.Target ?? '')
  const outside = Object.entries(targets).map(([target, all = []]) => [
    target,
    Object.assign({}, ...all.map(annotations)),
  ])
  return {
    ...members(schema, 'EntityType', entityType),
    ...members(schema, 'EntityContainer', (container) => members(container, 'EntitySet', entitySet)),
    ...defined({ $Alias: schema.attributes.Alias }),
    $Annotations: Object.fromEntries(outside),
  }
}

function entityType(type: XmlElement): JsonObject {
  const [key] = within(type, 'Key').map((each) =>
    within(each, 'PropertyRef').map(({ attributes }) => attributes.Name ?? ''),
  )
  return {
    ...defined({ $BaseType: type.attributes.BaseType, $Key: key }),
    ...members(type, 'Property', property),
    ...members(type, 'NavigationProperty', (navigation) => ({
      ...typed(navigation.attributes.Type),
      $Kind: 'NavigationProperty',
      $ReferentialConstraint: pairs(navigation, 'ReferentialConstraint', 'Property', 'ReferencedProperty'),
    })),
  }
}

function property(element: XmlElement): JsonObject {
  const { Type, Nullable = 'true', DefaultValue } = element.attributes
  return {
    ...typed(Type),
    ...defined({ $DefaultValue: DefaultValue }),
    $Nullable: isTrue(Nullable),
    ...annotations(element),
  }
}

function entitySet(set: XmlElement): JsonObject {
  return {
    ...{ $Collection: true, $Type: set.attributes.EntityType ?? '' },
    $NavigationPropertyBinding: pairs(set, 'NavigationPropertyBinding', 'Path', 'Target'),
  }
}

function typed(type = ''): JsonObject {
  const [, item] = /^Collection\((.*)\)$/.exec(type) ?? []
  return { $Type: item ?? type, $Collection: item !== undefined }
}

function pairs(parent: XmlElement, name: string, from: string, to: string): JsonObject {
  return Object.fromEntries(within(parent, name).map(({ attributes }) => [attributes[from], attributes[to] ?? '']))
}

function annotations(parent: XmlElement): JsonObject {
  return Object.fromEntries(
    within(parent, 'Annotation').map((element) => {
      const { Term, Qualifier } = element.attributes
      return [`@${Term}${Qualifier === undefined ? '' : `#${Qualifier}`}`, valueIn(element)]
    }),
  )
}

const CONSTANTS = ['String', 'Bool', 'Int', 'Decimal', 'Float']

/** Null for expressions. Without a value, terms such as Core.Computed are true. */
function valueIn(holder: XmlElement): JsonValue {
  const { Term, Qualifier, Property, ...attributes } = holder.attributes
  const elements = within(holder).filter((element) => nameOf(element) !== 'Annotation')
  const written = [
    ...Object.entries(attributes),
    ...elements.map((element) => [nameOf(element), element.text] as const),
  ]
  const [kind, value] = written.find(([name]) => CONSTANTS.includes(name)) ?? []
  if (value !== undefined) return kind === 'Bool' ? isTrue(value) : value
  const [list] = within(holder, 'Collection')
  if (list) return within(list, 'Record').map(recordOf)
  return written.length === 0 || null
}

function recordOf(record: XmlElement): JsonObject {
  return Object.fromEntries(
    within(record, 'PropertyValue').map((element) => [element.attributes.Property, valueIn(element)]),
  )
}

function isTrue(text: string): boolean {
  return text === 'true' || text === '1'
}
