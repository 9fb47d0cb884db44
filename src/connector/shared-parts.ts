import { BATCH_KINDS } from './document.ts'
import { isElements, isMembers, type Located, memberAt, membersOf, merged, replaceTexts, textIn } from './located.ts'

// What a connector says once for all objects: `record`, `verbs` and `batch`, in which {object} is the path of each.

export function withObjects(tree: Located, changed: (object: Located, noun: string) => Located): Located {
  const objects = memberAt(tree, 'objects')
  if (!objects || !isMembers(objects.value)) return tree
  const all = Array.from(objects.value, ([noun, object]) => [noun, changed(object, noun)] as const)
  return withMembers(tree, { objects: { ...objects, value: new Map(all) } })
}

/** Each object with its share, and its path in place of {object}. */
export function withShared(tree: Located): Located {
  return withObjects(tree, (object, noun) => {
    const path = textIn(memberAt(object, 'path')) ?? noun
    const only = memberAt(object, 'only')
    const names = isElements(only?.value) ? only.value.flatMap((each) => textIn(each) ?? []) : undefined
    const isIts = (name: string) => names === undefined || names.includes(name)
    const share = (name: string) => {
      const [all, own] = [memberAt(tree, name), memberAt(object, name)]
      return all && own ? merged(all, own) : (own ?? all)
    }
    const usual = path.startsWith('/') ? '{object}' : '/{object}'
    // A path that begins with the noun begins with a slash.
    const filled = (text: string) => text.replace(/^\{object\}(?=\/)/, usual).replaceAll('{object}', path)
    const parts = {
      record: share('record'),
      verbs: changedMembers(share('verbs'), (verb, name) =>
        isIts(name) ? verbWithPath(name, verb, usual) : undefined,
      ),
      batch: batchOf(share('batch'), isIts, usual),
      select: memberAt(object, 'select'),
    }
    const own = Object.entries(parts).flatMap(([name, part]) =>
      part ? [[name, replaceTexts(part, filled)] as const] : [],
    )
    return withMembers(object, Object.fromEntries(own))
  })
}

const OF_ONE = ['get', 'update', 'delete']
const BY_FIELD = ['find', 'upsert']

function verbWithPath(name: string, verb: Located, usual: string): Located {
  if (BY_FIELD.includes(name)) return changedMembers(verb, (each) => withPath(each, usual)) ?? verb
  return withPath(verb, OF_ONE.includes(name) ? `${usual}/{id}` : usual)
}

/** A batch needs its verb; to read by values, none is needed. */
function batchOf(batch: Located | undefined, isIts: (verb: string) => boolean, usual: string): Located | undefined {
  const own = changedMembers(batch, (each, kind) =>
    ['create', 'update', 'delete'].includes(kind) && !isIts(kind) ? undefined : each,
  )
  const hasKinds = (node: Located | undefined) => BATCH_KINDS.some((kind) => membersOf(node).has(kind))
  // Without any kind of its own, the object has no batches.
  return own && (hasKinds(batch) && !hasKinds(own) ? { ...own, value: null } : withPath(own, usual))
}

function withPath(request: Located, usual: string): Located {
  if (!isMembers(request.value)) return request
  const { place, keyPlace } = request
  return withMembers(request, { path: membersOf(request).get('path') ?? { value: usual, place, keyPlace } })
}

function changedMembers(
  node: Located | undefined,
  changed: (member: Located, name: string) => Located | undefined,
): Located | undefined {
  if (!node || !isMembers(node.value)) return node
  const members = [...node.value].flatMap(([name, member]) => {
    const after = changed(member, name)
    return after ? [[name, after] as const] : []
  })
  return { ...node, value: new Map(members) }
}

function withMembers(node: Located, members: Readonly<Record<string, Located>>): Located {
  return isMembers(node.value) ? { ...node, value: new Map([...node.value, ...Object.entries(members)]) } : node
}
