import { RESOURCES } from '../../core/resources/registry.ts'
import { keyIn, parameterIn, type Slots, variableName } from './path-parts.ts'

/** Parameters in a path of the document as they stand in the draft; the one after the slots is the id. */
export function textOf(path: string, slots: Slots, collectionPath: string): string {
  const order = [...slots.entries()]
  const count = collectionPath.split('/').filter((segment) => segment !== '').length
  let position = 0
  let index = -1
  return path
    .split('/')
    .map((segment) => {
      if (segment !== '') index += 1
      const name = parameterIn(segment) ?? keyIn(segment)
      if (name === undefined) return segment
      const [own, slot] = order[position] ?? []
      position += 1
      if (index >= count || !slot || own === undefined) return segment.replace(`{${name}}`, '{id}')
      if (slot.type === 'parent') return segment.replace(`{${name}}`, '{parent}')
      return segment.replace(`{${name}}`, slot.type === 'value' ? slot.value : `{${variableName(own)}}`)
    })
    .map(encoded)
    .join('/')
}

/** Characters that no URI path holds (RFC 3986 section 3.3) stand encoded in it. */
function encoded(segment: string): string {
  return segment.toWellFormed().replace(/[^\w\-.~!$&'()*+,;=:@%{}]/gu, (each) => encodeURIComponent(each))
}

/** For messages: the path with its values. */
export function shownPath(path: string, slots: Slots): string {
  return textOf(path, slots, path)
}

/** The plural of the resource that a slot refers to. */
export function parentOf(slots: Slots): string | undefined {
  for (const slot of slots.values()) if (slot.type === 'parent') return RESOURCES[slot.resource].plural
  return undefined
}

/** The longest path of whole segments that all of them, and `wanted`, begin with. */
export function commonPath(paths: readonly string[], wanted: string): string {
  if (paths.every((path) => path === wanted || path.startsWith(wanted))) return wanted
  let common = wanted.split('/')
  for (const path of paths) {
    const other = path.split('/')
    const different = common.findIndex((segment, index) => segment !== other[index])
    if (different >= 0) common = common.slice(0, different)
  }
  return common.join('/')
}
