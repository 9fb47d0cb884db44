import type { LinksDocument } from '../../connector/document.ts'
import { compilePath, optionalPath, readAll, readFirst } from '../../connector/paths.ts'
import { compileTemplate, fill } from '../../connector/templates.ts'
import { idText, isSameJson, type JsonObject, type JsonValue } from '../../core/json.ts'
import { linkText, wholeLinks } from '../../core/links.ts'

/** The links of these records in one field. */
export type ReadLinks = (field: string, ids: Iterable<string>) => Promise<ReadonlyMap<string, readonly string[]>>

type Ask = (
  field: string,
  items: readonly JsonValue[],
) => Promise<{ readonly json: JsonValue; refuse(why: string): never }>

/** Every record is in the answer, or in a refusal that says that it has no links. */
export function linkReader({ size, read }: LinksDocument, ask: Ask): ReadLinks {
  const item = compileTemplate(read.item)
  const linksIn = compileShown(read)
  const withoutIn = compileNone(read.none)
  return async (field, ids) => {
    const found = new Map<string, string[]>()
    const left: Asked[] = [...new Set(ids)].map((id) => ({ id }))
    while (left.length > 0) {
      const some = left.splice(0, size)
      const items = some.map((each) => fill(item, { ...each }) ?? null)
      const { json, refuse } = await ask(field, items)
      const shown = linksIn(json)
      const seen = new Set([...withoutIn(json), ...shown.map(({ id }) => id)])
      const lacking = some.find(({ id }) => !seen.has(id))
      if (lacking) refuse(`the answer does not account for record ${lacking.id}`)
      for (const { id, links } of shown) found.set(id, [...(found.get(id) ?? []), ...links])
      left.push(...shown.flatMap(({ id, after }) => (after === undefined ? [] : [{ id, after }])))
    }
    return new Map([...found].map(([id, links]) => [id, wholeLinks(links)]))
  }
}

/** A record whose links are asked for, from the start or after others. */
interface Asked {
  readonly id: string
  readonly after?: JsonValue
}

interface Shown {
  readonly id: string
  readonly links: readonly string[]
  /** Where it has more. */
  readonly after: JsonValue | undefined
}

function compileShown(read: LinksDocument['read']): (json: JsonValue) => readonly Shown[] {
  const items = compilePath(read.items)
  const id = compilePath(read.id)
  const links = compilePath(read.links)
  const to = compilePath(read.to)
  const labels = compilePath(read.labels)
  const after = optionalPath(read.after)
  const textsOf = (link: JsonValue): readonly string[] => {
    const other = idText(readFirst(to, link))
    if (other === undefined) return []
    return [other, ...readAll(labels, link).flatMap((label) => (label === null ? [] : linkText(other, String(label))))]
  }
  return (json) =>
    readAll(items, json).map((record) => ({
      id: idText(readFirst(id, record)) ?? '',
      links: readAll(links, record).flatMap(textsOf),
      after: (after && readFirst(after, record)) ?? undefined,
    }))
}

function compileNone(none: LinksDocument['read']['none']): (json: JsonValue) => readonly string[] {
  if (!none) return () => []
  const [items, at, ids] = [compilePath(none.items), compilePath(none.at), compilePath(none.ids)] as const
  return (json) =>
    readAll(items, json)
      .filter((refusal) => isSameJson(readFirst(at, refusal), none.is))
      .flatMap((refusal) => readAll(ids, refusal).flatMap((id) => idText(id) ?? []))
}

/** The types of links by their labels; undefined is that of links without one. */
export type LinkTypes = ReadonlyMap<string | undefined, JsonObject>

export function linkTypesIn({ types: { items, label, type } }: LinksDocument, json: JsonValue): LinkTypes {
  const members = Object.entries(type).map(([name, at]) => [name, compilePath(at)] as const)
  const labelAt = compilePath(label)
  return new Map(
    readAll(compilePath(items), json).map((item) => {
      const of = members.map(([name, at]) => [name, readFirst(at, item) ?? null] as const)
      return [idText(readFirst(labelAt, item)), Object.fromEntries(of)]
    }),
  )
}
