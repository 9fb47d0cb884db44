import { CrmError } from '../core/errors.ts'
import { isJsonObject, type JsonValue } from '../core/json.ts'
import type { CrmRecord } from '../core/resources/registry.ts'

/** The path of a member: `owner.name` is ['owner', 'name']. */
export type FieldPath = readonly string[]

/** Parses the `a,b.c` of `--fields`; CrmError `usage` for an empty name. */
export function parseFields(text: string): readonly FieldPath[] {
  const paths = text.split(',').map((field) => field.trim().split('.'))
  if (paths.some((path) => path.some((name) => name.trim() === ''))) {
    throw new CrmError('usage', `--fields contains an empty name: ${JSON.stringify(text)}`, {
      hint: 'expected names with commas between them, such as --fields id,name,owner.name',
    })
  }
  return paths
}

export function fieldName(path: FieldPath): string {
  return path.join('.')
}

/**
 * The member at the path, or undefined. A member whose name is the dotted path takes precedence, so that the output of
 * `--fields owner.name` can be read with the same fields; a number is an index into a list.
 */
export function valueAtField(record: CrmRecord, path: FieldPath): JsonValue | undefined {
  const whole = fieldName(path)
  if (Object.hasOwn(record, whole)) return record[whole]
  let value: JsonValue | undefined = record
  for (const name of path) {
    if (Array.isArray(value)) value = /^\d+$/.test(name) ? value[Number(name)] : undefined
    else value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  }
  return value
}
