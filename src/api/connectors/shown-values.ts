import { CrmError } from '../../core/errors.ts'
import { idText, isSameJson, type JsonObject, type JsonValue, memberOf } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import type { FieldMap, References } from './field-map.ts'

export interface Beside {
  readonly references: References
  /** Its values count where others are not given. */
  readonly record?: CrmRecord | undefined
}

/** Values as a record shows them that has them: the name of a stage in place of its id, a time in UTC. */
export function createShownValues(fields: readonly FieldMap[]): (values: JsonObject, beside: Beside) => JsonObject {
  const byName = new Map(fields.map((field) => [field.name, field]))
  return (values, beside) => {
    const shown = Object.entries(values).map(([name, value]): [string, JsonValue] => {
      const field = value === null ? undefined : byName.get(name)
      return [name, (field && shownValue(field, value, { ...beside, values })) ?? value]
    })
    return Object.fromEntries(shown)
  }
}

/** Undefined for a value that cannot be written, or whose shown form would be written differently. */
function shownValue(
  field: FieldMap,
  value: JsonValue,
  { references, values, record = {} }: Beside & { readonly values: JsonObject },
): JsonValue | undefined {
  const { writes, document } = field
  if (writes.length === 0) return undefined
  const fieldValue = (name: string) => (Object.hasOwn(values, name) ? values[name] : memberOf(record, name))
  const near = () =>
    Object.fromEntries(Object.entries(document.within).map(([their, own]) => [their, idText(fieldValue(own)) ?? '']))
  const names = {
    nameOf: (...[resource, id]: Parameters<References['nameOf']>) => references.nameOf(resource, id, near),
  }
  try {
    const wires = field.encode(value, { references, fieldValue })
    const shown = field.decode(wires, names)
    const isStable = isSameJson([...field.encode(shown, { references, fieldValue })], [...wires])
    return isStable ? shown : undefined
  } catch (error) {
    if (error instanceof CrmError) return undefined
    throw error
  }
}
