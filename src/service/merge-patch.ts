import type { JsonNode, Members } from './json-text.ts'

/** RFC 7396. */
export function mergePatch(target: JsonNode, patch: JsonNode): JsonNode {
  if (typeof patch === 'string') return patch
  return mergeMembers(typeof target === 'string' ? new Map() : target, patch)
}

/** Applies a patch to an object. Kept members keep their position; new ones are appended. */
export function mergeMembers(target: Members, patch: Members): Members {
  const merged = new Map(target)
  for (const [name, value] of patch) {
    if (value === 'null') merged.delete(name)
    else merged.set(name, mergePatch(merged.get(name) ?? 'null', value))
  }
  return merged
}
