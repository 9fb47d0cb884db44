import type { Resource } from '../../core/resources/registry.ts'
import type { Schemas, SchemaView } from './schemas.ts'
import {
  CREATED_NAMES,
  fieldFit,
  foldedName,
  ID_NAMES,
  isIdOf,
  memberNamed,
  nameFit,
  UPDATED_NAMES,
} from './server-names.ts'

/** A record in an answer or a body. */
export interface RecordPlace {
  /** A path of a connector; `.` is the whole. */
  readonly path: string
  readonly view: SchemaView
}

interface Nested extends RecordPlace {
  readonly depth: number
}

interface Candidate extends RecordPlace {
  readonly score: number
}

/** Where the members of a record are, when they are not in the record itself. */
const INSIDES = ['properties', 'values', 'attributes', 'fields', 'data']

/** Not the record that was asked for. */
const ASIDE =
  /^(?:errors?|warnings?|links?|_links|included?|related\w*|meta|metadata|pag(?:ing|ination|e|einfo)|additionaldata|associations|relationships|_embedded)$/i

const MAX_DEPTH = 4
/** For documents whose schemas contain each other. */
const MAX_CANDIDATES = 300
const MAX_LISTS = 30
const MAX_VIEWS = 2000

const LISTS = /^(?:data|results?|items|records|values?|elements|list|content|rows|objects|entities)$/i

/** The member that identifies a record. */
export function idMemberOf(resource: Resource, view: SchemaView): string | undefined {
  const own = [...view.members.keys()].find((name) => isIdOf(resource, name))
  return memberNamed(view.members, ID_NAMES) ?? own
}

export class RecordFinder {
  readonly #schemas: Schemas
  readonly #resource: Resource

  constructor(schemas: Schemas, resource: Resource) {
    this.#schemas = schemas
    this.#resource = resource
  }

  /** The record in an answer; undefined if nothing in it looks like one. */
  record(answer: SchemaView): RecordPlace | undefined {
    return best(this.#objects({ path: '.', view: answer }, (view) => this.#recordScore(view)))
  }

  /** The path of each record in an answer: with `[]`. */
  items(answer: SchemaView): RecordPlace | undefined {
    const lists = this.#lists({ path: '.', view: answer })
    const found = lists.flatMap((list) => {
      const records = this.#objects(list, (view) => this.#recordScore(view))
      const inside = best(records)
      return inside ? [{ ...inside, score: inside.score + list.score }] : []
    })
    return best(found) ?? best(lists.filter(({ score }) => score > 0))
  }

  /** The object of a body whose members are those of the record. */
  body(body: SchemaView, inside: string): RecordPlace {
    if (inside !== '.') {
      const named = this.#objects({ path: '.', view: body }, () => 1).filter(
        ({ path }) => path === inside || path.endsWith(`.${inside}`),
      )
      const [first] = named
      if (first) return first
    }
    const fitOf = (view: SchemaView) => fieldFit(this.#resource, view.members.keys())
    const found = this.#objects({ path: '.', view: body }, fitOf)
    // The only object with fields of crm may be deep.
    const top = best(found) ?? best(found.map((each) => ({ ...each, score: fitOf(each.view) })))
    if (top) return top
    const wrapper = this.#wrapperIn(body)
    return wrapper ?? { path: '.', view: body }
  }

  /** The object in which the fields of a record are, from the record on. */
  inside(view: SchemaView): string {
    const own = fieldFit(this.#resource, view.members.keys())
    let found = '.'
    let most = own
    for (const [name] of view.members) {
      if (!INSIDES.includes(foldedName(name))) continue
      const member = this.#schemas.member(view, name)
      if (!member || (member.type !== 'object' && member.type !== 'unknown')) continue
      const isFree = member.members.size === 0 && own <= 1
      const fit = isFree ? own + 0.5 : fieldFit(this.#resource, member.members.keys())
      if (fit > most) [found, most] = [name, fit]
    }
    return found
  }

  #recordScore(view: SchemaView): number {
    const hasInside = this.inside(view) !== '.'
    const hasId = idMemberOf(this.#resource, view) !== undefined
    const times = [CREATED_NAMES, UPDATED_NAMES].filter((names) => memberNamed(view.members, names)).length
    return (hasId ? 3 : -3) + (hasInside ? 4 : 0) + times + fieldFit(this.#resource, view.members.keys())
  }

  /** `{ data: ... }`, or a member named for the resource. */
  #wrapperIn(body: SchemaView): RecordPlace | undefined {
    for (const [name] of body.members) {
      const view = this.#schemas.member(body, name)
      const isWrapper = foldedName(name) === 'data' || nameFit(this.#resource, name) > 0
      if (isWrapper && view?.type === 'object') return { path: escaped(name), view }
    }
    return undefined
  }

  #objects(from: RecordPlace, scoreOf: (view: SchemaView) => number): readonly Candidate[] {
    const found: Candidate[] = []
    const queue: Nested[] = [{ ...from, depth: 0 }]
    for (let next = queue.shift(); next && found.length < MAX_CANDIDATES; next = queue.shift()) {
      const { path, view, depth } = next
      if (view.members.size > 0 || depth > 0) found.push({ path, view, score: scoreOf(view) - depth })
      if (depth < MAX_DEPTH) queue.push(...(view.type === 'array' ? this.#only(next) : this.#inner(next)))
    }
    return found
  }

  #inner({ path, view, depth }: Nested): readonly Nested[] {
    return [...view.members.keys()].flatMap((name) => {
      const member = this.#schemas.member(view, name)
      if (!member || ASIDE.test(name)) return []
      const inner = { path: joined(path, name), view: member, depth: depth + 1 }
      if (member.type === 'object') return [inner]
      return member.type === 'array' && LISTS.test(name) ? this.#only(inner) : []
    })
  }

  /** Some servers take and show a record as the only element of a list. */
  #only({ path, view: list, depth }: Nested): readonly Nested[] {
    const view = this.#schemas.view(list.items)
    const isRecord = view.type === 'object' || view.members.size > 0
    return isRecord ? [{ path: `${path === '.' ? '' : path}[0]`, view, depth: depth + 1 }] : []
  }

  #lists(root: RecordPlace): readonly Candidate[] {
    const found: Candidate[] = []
    const queue = [{ ...root, depth: 0 }]
    let count = 0
    for (let next = queue.shift(); next && count < MAX_VIEWS && found.length < MAX_LISTS; next = queue.shift()) {
      count += 1
      const { view, depth } = next
      if (view.type === 'array') found.push(...this.#list(next))
      if (view.type === 'array' || depth >= MAX_DEPTH) continue
      queue.push(...this.#within(next))
    }
    return found
  }

  /** The members that can hold lists. */
  #within({ path, view, depth }: RecordPlace & { readonly depth: number }) {
    return [...view.members.keys()].flatMap((name) => {
      const member = this.#schemas.member(view, name)
      if (!member || (ASIDE.test(name) && name !== '_embedded')) return []
      const isHolding = member.type === 'array' || member.members.size > 0
      return isHolding ? [{ path: joined(path, name), view: member, depth: depth + 1 }] : []
    })
  }

  #list({ path, view, depth }: RecordPlace & { readonly depth: number }): readonly Candidate[] {
    const items = this.#schemas.view(view.items)
    if (items.type !== 'object' && items.members.size === 0) return []
    const name = path.slice(path.lastIndexOf('.') + 1)
    const isUsual = LISTS.test(name) || nameFit(this.#resource, name) > 0
    return [{ path: `${path === '.' ? '' : path}[]`, view: items, score: (isUsual ? 3 : 0) - depth }]
  }
}

function best(candidates: readonly Candidate[]): Candidate | undefined {
  let top: Candidate | undefined
  for (const each of candidates) if (each.score > (top?.score ?? 0)) top = each
  return top
}

/** A member below a path. */
export function joined(path: string, name: string): string {
  return path === '.' ? escaped(name) : `${path}.${escaped(name)}`
}

/** A name in the syntax of paths. */
export function escaped(name: string): string {
  return name.replace(/[.[\]=\\]/g, (char) => `\\${char}`)
}
