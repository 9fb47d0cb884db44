import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts'

/** The keys that a path such as `/Machines(1)` can have without quotation marks. */
const BARE_KEY = /^Edm\.(?:Guid|Int(?:16|32|64))$/

/**
 * The entity sets that CSDL in JSON (OData 4.01) describes, as `schema` of a connector has objects by default: those whose records
 * have one key that is a number or a GUID.
 */
export function objectsOfCsdl(csdl: JsonObject): JsonObject[] {
  const model = modelOf(csdl)
  const sets = membersOf(model.at(csdl.$EntityContainer)).filter(([, { $Collection }]) => $Collection === true)
  const setOf = new Map(sets.map(([name, { $Type }]) => [model.at($Type), name]))
  return sets.flatMap(([name, { $Type, $NavigationPropertyBinding: bound }]) => {
    const type = typeAt(model, $Type)
    const references = membersOf(type).flatMap(([navigation, { $Type: to, $ReferentialConstraint: pairs }]) => {
      const [own, ...more] = isJsonObject(pairs) ? Object.keys(pairs) : []
      const target = (isJsonObject(bound) ? bound[navigation] : undefined) ?? setOf.get(model.at(to))
      return own === undefined || more.length > 0 || target === undefined ? [] : [[own, target] as const]
    })
    const targets = new Map(references)
    const [key = null, ...others] = Array.isArray(type.$Key) ? type.$Key : []
    const fields = membersOf(type).flatMap(([member, property]) => fieldOf(member, property, targets))
    const isBare = fields.some((field) => field.name === key && BARE_KEY.test(String(field.type)))
    return isBare && others.length === 0 ? [{ name, id: key, fields }] : []
  })
}

function membersOf(object: JsonObject): (readonly [string, JsonObject])[] {
  return Object.entries(object).flatMap(([name, member]) => (isJsonObject(member) ? [[name, member] as const] : []))
}

function fieldOf(name: string, member: JsonObject, targets: ReadonlyMap<string, JsonValue>): JsonObject[] {
  const { $Kind = 'Property', $Collection, $Type = 'Edm.String', $Nullable, $DefaultValue } = member
  if ($Kind !== 'Property' || $Collection === true) return []
  const read_only = annotation(member, 'Computed') === true
  const isFilled = $DefaultValue !== undefined || annotation(member, 'ComputedDefaultValue') === true
  const values = annotation(member, 'AllowedValues')
  return [
    {
      ...{ name, type: $Type, to: targets.get(name) ?? null, label: annotation(member, 'Label') ?? null },
      ...{ read_only, required: $Nullable !== true && !read_only && !isFilled },
      options: Array.isArray(values) ? values.flatMap((each) => (isJsonObject(each) ? (each.Value ?? []) : [])) : [],
    },
  ]
}

/** By the name of its term, whatever alias its vocabulary has. */
function annotation(member: JsonObject, term: string): JsonValue | undefined {
  const name = Object.keys(member).find((each) => each.startsWith('@') && each.endsWith(`.${term}`))
  return name === undefined ? undefined : member[name]
}

interface Model {
  /** What has this qualified name, which may begin with the alias of its schema. */
  at(name: JsonValue | undefined): JsonObject
  /** Annotations that stand outside of what they are about. */
  annotations(name: string): JsonObject | undefined
}

function modelOf(csdl: JsonObject): Model {
  const aliases = new Map(membersOf(csdl).map(([name, { $Alias }]) => [$Alias, name]))
  const parts = (name: string) => {
    const [, space = '', own = ''] = /^(.*)\.([^.]+)$/.exec(name) ?? []
    return [aliases.get(space) ?? space, own] as const
  }
  const annotated = membersOf(csdl).flatMap(([, { $Annotations: all }]) => (isJsonObject(all) ? membersOf(all) : []))
  const annotations = new Map(annotated.map(([target, all]) => [parts(target).join('.'), all]))
  return {
    at: (name) => {
      const [space, own] = parts(String(name))
      const { [own]: found } = isJsonObject(csdl[space]) ? csdl[space] : {}
      return isJsonObject(found) ? found : {}
    },
    annotations: (name) => annotations.get(parts(name).join('.')),
  }
}

/** With what it inherits. */
function typeAt(model: Model, name: JsonValue | undefined): JsonObject {
  const { $BaseType, ...own } = model.at(name)
  const members = membersOf(own).map(([member, property]) => [
    member,
    { ...property, ...model.annotations(`${name}/${member}`) },
  ])
  return { ...($BaseType !== undefined && typeAt(model, $BaseType)), ...own, ...Object.fromEntries(members) }
}
