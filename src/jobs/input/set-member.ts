import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'

/** Defines rather than assigns, so that a member called `__proto__` is a member like any other. */
export function setMember(fields: JsonObject, path: readonly string[], value: JsonValue): void {
  let inside = fields
  for (const name of path.slice(0, -1)) {
    const existing = Object.hasOwn(inside, name) ? inside[name] : undefined
    const next: JsonObject = isJsonObject(existing) ? existing : {}
    define(inside, name, next)
    inside = next
  }
  define(inside, path.at(-1) ?? '', value)
}

function define(target: JsonObject, name: string, value: JsonValue): void {
  if (name === '__proto__') {
    Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true })
  } else target[name] = value
}
