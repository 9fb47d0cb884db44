import { CrmError } from '../core/errors.ts'
import { idText } from '../core/json.ts'
import { type ParentRecord, parentIn, parentMember } from '../core/resources/parents.ts'
import { type CrmRecord, RESOURCES, type Resource } from '../core/resources/registry.ts'
import type { Api } from './api.ts'
import type { Page } from './operations.ts'
import { withMember } from './pages/pages.ts'

/** Lists read at the same time. */
const PARTS_AT_ONCE = 8

/** The notes of some records. Those of a record that was deleted are gone, too. */
export async function* listParts(api: Api, parents: Iterable<ParentRecord>): AsyncGenerator<Page> {
  const { connector } = api
  if (connector.offers('note', 'list') && connector.rules('note').parent === undefined) {
    yield* api.notes().list()
    return
  }
  const all = [...parents]
  for (let at = 0; at < all.length; at += PARTS_AT_ONCE) {
    const lists = all.slice(at, at + PARTS_AT_ONCE).map((each) => pagesOf(api.notes(each).list()))
    for (const pages of await Promise.all(lists)) yield* pages
  }
}

async function pagesOf(list: AsyncIterable<Page>): Promise<readonly Page[]> {
  try {
    const pages: Page[] = []
    for await (const page of list) pages.push(page)
    return pages
  } catch (error) {
    if (error instanceof CrmError && error.code === 'not_found') return []
    throw error
  }
}

/**
 * All notes, each once, with the id of a record that it is on. `known`: the ids of the records of a kind, which are listed where it has
 * none. CrmError `not_supported` if the server does not list notes.
 */
export async function* allNotes(
  api: Api,
  known: (of: Resource) => readonly string[] = () => [],
): AsyncGenerator<Page, void, undefined> {
  api.require('note', 'list')
  const { connector } = api
  const kinds = connector.parents('note')
  const { links, list } = connector.document.resources.note ?? {}
  if (connector.hasOneList('note') || list?.all) {
    connector.rules('note').selection.ask(Object.keys(links?.fields ?? {}))
    for await (const page of api.notes().list()) yield { ...page, items: page.items.map((note) => named(note, kinds)) }
    return
  }
  const seen = new Set<string>()
  const isNew = ({ id }: CrmRecord) => kinds.length === 1 || seen.size < seen.add(idText(id) ?? '').size
  for (const of of kinds) {
    for await (const ids of idsOf(api, of, known(of))) {
      const parents = ids.map((id) => ({ of, id }))
      for await (const page of listParts(api, parents)) yield { ...page, items: page.items.filter(isNew) }
    }
  }
}

function named(note: CrmRecord, kinds: readonly Resource[]): CrmRecord {
  const parent = parentIn(note, kinds)
  return withMember(note, parent && { member: parentMember(parent.of), id: parent.id, isShown: true })
}

async function* idsOf(api: Api, of: Resource, known: readonly string[]): AsyncGenerator<readonly string[]> {
  if (known.length > 0) return yield known
  const collection = api[RESOURCES[of].plural]
  const { list } = typeof collection === 'function' ? collection() : collection
  for await (const { items } of list()) yield items.flatMap(({ id }) => idText(id) ?? [])
}
