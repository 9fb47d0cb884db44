import { isElements, isMembers, type Located, memberAt, membersOf, merged, replaceTexts, textIn } from './located.ts'

// What a connector says once for all objects, put into each of them: `record`, `verbs`, `batch`, `select` and `paging`, in which
// {object} is the path of the object and {noun} its name; and into each batch what an object says of all of them.

export const BATCH_KINDS = ['create', 'update', 'upsert', 'delete', 'read'] as const

/** Verbs that are one for each field. */
export const BY_FIELD: readonly string[] = ['find', 'upsert']

const OF_ONE = ['get', 'update', 'delete']
const LISTS = ['list', 'deliveries', 'find']

export function withObjects(tree: Located, changed: (object: Located, noun: string) => Located): Located {
  const objects = memberAt(tree, 'objects')
  if (!objects || !isMembers(objects.value)) return tree
  const all = Array.from(objects.value, ([noun, object]) => [noun, changed(object, noun)] as const)
  return withMembers(tree, { objects: { ...objects, value: new Map(all) } })
}

/** Each object with its share, its path in place of {object}, and its name in place of {noun}. */
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
    const filled = (text: string) =>
      text
        .replace(/^\{object\}(?=\/)/, usual)
        .replaceAll('{object}', path)
        .replaceAll('{noun}', noun === '*' ? '{type}' : noun)
    const completed = (name: string, verb: Located) => {
      const request = withPath(verb, OF_ONE.includes(name) ? `${usual}/{id}` : usual)
      return LISTS.includes(name) ? withPaging(request, [tree, object]) : request
    }
    const verbs = changedMembers(share('verbs'), (verb, name) => {
      if (!isIts(name)) return undefined
      return BY_FIELD.includes(name) ? changedMembers(verb, (each) => completed(name, each)) : completed(name, verb)
    })
    const parts = {
      record: share('record'),
      verbs,
      batch: batchOf(share('batch'), isIts, usual),
      select: share('select'),
    }
    const own = Object.entries(parts).flatMap(([name, part]) =>
      part ? [[name, replaceTexts(part, filled)] as const] : [],
    )
    return withMembers(object, Object.fromEntries(own))
  })
}

/** An inner paging overrides an outer one member by member; another way of paging begins anew. */
function withPaging(list: Located, around: readonly Located[]): Located {
  const all = [...around, list].flatMap((node) => membersOf(node).get('paging') ?? [])
  const byOf = (paging: Located) => textIn(memberAt(paging, 'by'))
  const [outer, ...inner] = all
  const paging = inner.reduce<Located | undefined>((before, own) => {
    const by = byOf(own)
    return before && (by === undefined || by === byOf(before)) ? merged(before, own) : own
  }, outer)
  return paging && isMembers(list.value) ? withMembers(list, { paging }) : list
}

/** A batch needs its verb; to read by values, none is needed. */
function batchOf(batch: Located | undefined, isIts: (verb: string) => boolean, usual: string): Located | undefined {
  if (!batch || !isMembers(batch.value)) return batch
  const isKind = (name: string) => BATCH_KINDS.some((kind) => kind === name)
  const shared = { ...batch, value: new Map([...batch.value].filter(([name]) => !isKind(name))) }
  const own = changedMembers(batch, (each, name) => {
    if (!isKind(name)) return each
    return ['create', 'update', 'delete'].includes(name) && !isIts(name)
      ? undefined
      : withPath(isMembers(each.value) ? merged(shared, each) : each, usual)
  })
  const hasKinds = (node: Located | undefined) => [...membersOf(node).keys()].some(isKind)
  // Without any kind of its own, the object has no batches.
  return own && hasKinds(batch) && !hasKinds(own) ? { ...own, value: null } : own
}

function withPath(request: Located, usual: string): Located {
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
