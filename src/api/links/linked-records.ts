import { Buffer } from 'node:buffer'
import type { LinkRequest, LinksDocument } from '../../connector/document.ts'
import { compilePath, readAll, readFirst } from '../../connector/paths.ts'
import { compileTemplate, fill } from '../../connector/templates.ts'
import { CrmError } from '../../core/errors.ts'
import { idText, isJsonObject, type JsonObject, type JsonValue, jsonIn } from '../../core/json.ts'
import { linkIn, wholeLinks } from '../../core/links.ts'
import { nearest } from '../../core/nearest.ts'
import { type CrmRecord, RESOURCES, type Resource } from '../../core/resources/registry.ts'
import type { Connector } from '../connectors/connector.ts'
import { badPage } from '../pages/page-errors.ts'
import type { Answer } from '../transport/answer.ts'
import { type Call, cannot } from '../transport/call.ts'
import { type LinkTypes, linkReader, linkTypesIn } from './read-links.ts'

interface LinkParts {
  readonly connector: Connector
  readonly http: { request(call: Call): Promise<Answer> }
}

/** What the links of one record are to become. */
export interface LinkWrite {
  readonly id: string
  /** Other fields than those of links are passed over. */
  readonly fields: JsonObject
  /** JSON of what the record had when the change was planned: links that came since stay. Undefined: every other link goes. */
  readonly was: string | undefined
}

/** The links of the records of one object: fields that requests of their own read and write. */
export interface LinkedRecords {
  readonly fields: readonly string[]
  /** A create has the links in its own request. */
  readonly isInCreate: boolean
  /** The records with the fields that were asked for. CrmError `bad_answer` unless each record is accounted for. */
  withLinks(records: readonly CrmRecord[]): Promise<readonly CrmRecord[]>
  types(field: string): Promise<LinkTypes>
  /** The links in the body of a create; none where they are made after it. */
  ofNew(fields: JsonObject): Promise<readonly JsonValue[]>
  /** Makes and takes away what is needed; the same again changes nothing more. Returns why the links of a record are not as wanted. */
  write(writes: readonly LinkWrite[]): Promise<ReadonlyMap<string, string>>
}

/** Undefined where no links are described. */
export function linkedRecords(parts: LinkParts, resource: Resource): LinkedRecords | undefined {
  const { links } = parts.connector.document
  const own = parts.connector.document.resources[resource]?.links
  return links && own && new Links(parts, { resource, links, fields: Object.keys(own.fields) })
}

interface Pair {
  readonly id: string
  readonly to: string
  readonly types: JsonObject[]
}

const ACTIONS: Readonly<Record<LinkRequest, string>> = {
  types: 'list the labels of',
  read: 'read',
  add: 'make',
  remove: 'take away',
  unlabel: 'take labels off',
}

class Links implements LinkedRecords {
  readonly fields: readonly string[]
  readonly isInCreate: boolean
  readonly #parts: LinkParts
  readonly #resource: Resource
  readonly #links: LinksDocument
  readonly #read: ReturnType<typeof linkReader>

  constructor(parts: LinkParts, own: { resource: Resource; links: LinksDocument; fields: readonly string[] }) {
    this.#parts = parts
    this.#resource = own.resource
    this.#links = own.links
    this.fields = own.fields
    this.isInCreate = own.links.new !== undefined
    this.#read = linkReader(own.links, async (field, items) => {
      const { call, json } = await this.#ask('read', field, items)
      const { mismatchHint } = parts.connector
      return {
        json,
        refuse: (why) => {
          throw badPage(call, why, mismatchHint)
        },
      }
    })
  }

  async withLinks(records: readonly CrmRecord[]): Promise<readonly CrmRecord[]> {
    let all = records
    for (const field of this.#parts.connector.rules(this.#resource).selection.links) {
      const links = await this.#read(
        field,
        records.flatMap(({ id }) => idText(id) ?? []),
      )
      all = all.map((record) => ({ ...record, [field]: [...(links.get(idText(record.id) ?? '') ?? [])] }))
    }
    return all
  }

  types(field: string): Promise<LinkTypes> {
    const { linkTypes } = this.#parts.connector.rules(this.#resource)
    const known = linkTypes.get(field)
    if (known) return known
    const found = this.#ask('types', field, []).then(({ json }) => linkTypesIn(this.#links, json))
    linkTypes.set(field, found)
    found.catch(() => linkTypes.delete(field))
    return found
  }

  async ofNew(fields: JsonObject): Promise<readonly JsonValue[]> {
    const { new: ofNew } = this.#links
    if (ofNew === undefined) return []
    const template = compileTemplate(ofNew)
    const all: JsonValue[] = []
    for (const field of this.fields) {
      const pairs = await this.#pairs('', field, wholeLinks(textsIn(fields[field])))
      all.push(...pairs.map((pair) => fill(template, { ...pair }) ?? null))
    }
    return all
  }

  async write(writes: readonly LinkWrite[]): Promise<ReadonlyMap<string, string>> {
    const faults = new Map<string, string>()
    for (const field of this.fields) {
      const its = writes.filter(({ fields }) => Object.hasOwn(fields, field))
      if (its.length > 0) await this.#writeField(field, its, faults)
    }
    return faults
  }

  async #writeField(field: string, writes: readonly LinkWrite[], faults: Map<string, string>): Promise<void> {
    const now = await this.#read(
      field,
      writes.map(({ id }) => id),
    )
    const pairs = { add: [] as Pair[], remove: [] as Pair[], unlabel: [] as Pair[] }
    const gone = new Map<string, readonly string[]>()
    for (const { id, fields, was } of writes) {
      const before = was === undefined ? undefined : jsonIn(was)
      const change = changeOf(textsIn(fields[field]), now.get(id) ?? [], {
        was: isJsonObject(before) && Object.hasOwn(before, field) ? textsIn(before[field]) : undefined,
      })
      for (const name of ['add', 'remove', 'unlabel'] as const)
        pairs[name].push(...(await this.#pairs(id, field, change[name])))
      const taken = [...change.remove, ...change.unlabel]
      if (taken.length > 0) gone.set(id, taken)
    }
    await this.#send('remove', field, pairs.remove)
    await this.#send('unlabel', field, pairs.unlabel)
    const made = this.#madeIn(await this.#send('add', field, pairs.add))
    for (const { id, to } of pairs.add)
      if (!made.has(`${id} ${to}`)) faults.set(id, `lacks the link with ${to} in ${field}`)
    await this.#checkGone(field, gone, faults)
  }

  /** The answers show nothing of links and labels that were taken away. */
  async #checkGone(field: string, gone: ReadonlyMap<string, readonly string[]>, faults: Map<string, string>) {
    if (gone.size === 0) return
    const now = await this.#read(field, gone.keys())
    for (const [id, values] of gone) {
      const left = values.find((value) => now.get(id)?.includes(value))
      if (left !== undefined) faults.set(id, `was a success, and ${left} is still in ${field}`)
    }
  }

  #madeIn(answers: readonly JsonValue[]): ReadonlySet<string> {
    const { results, id, to } = this.#links.add
    const [all, idAt, toAt] = [compilePath(results), compilePath(id), compilePath(to)] as const
    const made = answers.flatMap((json) => readAll(all, json))
    return new Set(made.map((link) => `${idText(readFirst(idAt, link))} ${idText(readFirst(toAt, link))}`))
  }

  /** One for each linked record, with the types of its labels; without any, with that of links without one. */
  async #pairs(id: string, field: string, values: readonly string[]): Promise<readonly Pair[]> {
    if (values.length === 0) return []
    const types = await this.types(field)
    const byRecord = Map.groupBy(values.map(linkIn), (link) => link.id)
    return Array.from(byRecord, ([to, links]) => {
      const labels = links.flatMap(({ label }) => label ?? [])
      const asked = labels.length > 0 ? labels : [undefined]
      return { id, to, types: asked.map((label) => types.get(label) ?? refuseLabel(field, label, types)) }
    })
  }

  async #send(name: 'add' | 'remove' | 'unlabel', field: string, pairs: readonly Pair[]): Promise<JsonValue[]> {
    const item = compileTemplate(this.#links[name].item)
    const answers: JsonValue[] = []
    const { size } = this.#links
    for (let at = 0; at < pairs.length; at += size) {
      const some = pairs.slice(at, at + size)
      const { json } = await this.#ask(
        name,
        field,
        some.map((pair) => fill(item, { ...pair }) ?? null),
      )
      answers.push(json)
    }
    return answers
  }

  async #ask(name: LinkRequest, field: string, items: readonly JsonValue[]) {
    const { connector, http } = this.#parts
    const { plural } = RESOURCES[this.#resource]
    const { body, ...request } = connector.rules(this.#resource).linkRequest(name, field, items)
    const isRead = name === 'types' || name === 'read'
    const call: Call = {
      ...request,
      ...{ action: `${ACTIONS[name]} the links of ${plural} in ${field}`, command: `crm ${plural} list` },
      findCommand: undefined,
      ...(body !== undefined && { bytes: Buffer.from(JSON.stringify(body)) }),
      ...(connector.errors && { errors: connector.errors }),
      ...(isRead ? { isRead } : { isRepeatable: true }),
    }
    return { call, json: (await http.request(call)).json ?? null }
  }
}

/**
 * The rest of a record by `writeOwn`, unless its links alone change, then the links. CrmError `in_doubt` if the answers do not show
 * that all of them are as wanted.
 */
export async function updateLinked(
  linked: LinkedRecords | undefined,
  { id, fields, ...call }: Pick<LinkWrite, 'id' | 'fields'> & Pick<Call, 'action' | 'findCommand' | 'showCommand'>,
  writeOwn: () => Promise<CrmRecord>,
): Promise<CrmRecord> {
  if (!linked) return writeOwn()
  const isOwn = Object.keys(fields).some((name) => !linked.fields.includes(name))
  const written = isOwn ? await writeOwn() : { id }
  const why = (await linked.write([{ id, fields, was: undefined }])).get(id)
  if (why === undefined) return written
  throw new CrmError('in_doubt', `${cannot(call)}: the answer ${why}`, {
    hint: call.showCommand ?? call.findCommand ?? 'crm objects',
  })
}

interface AskedCreate {
  readonly operation: string
  readonly upsert: object | undefined
  readonly fields: JsonObject | undefined
}

/** The links in the request of a create; none in any other. */
export async function linksOfNew(
  parts: LinkParts,
  resource: Resource,
  { operation, upsert, fields }: AskedCreate,
): Promise<readonly JsonValue[]> {
  if (operation !== 'create' || upsert || !fields) return []
  return linkedRecords(parts, resource)?.ofNew(fields) ?? []
}

/** What turns the links that are there into those that are wanted. */
function changeOf(
  given: readonly string[],
  now: readonly string[],
  { was = now }: { readonly was: readonly string[] | undefined },
) {
  const wanted = wholeLinks(given)
  const gone = now.filter((value) => was.includes(value) && !wanted.includes(value))
  const remove = gone.filter((value) => linkIn(value).label === undefined)
  return {
    add: wanted.filter((value) => !now.includes(value)),
    remove,
    unlabel: gone.filter((value) => !remove.includes(linkIn(value).id)),
  }
}

function textsIn(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.flatMap((each) => idText(each) ?? []) : []
}

/** CrmError with the labels that there are. */
export function refuseLabel(field: string, label: string | undefined, types: LinkTypes): never {
  const labels = [...types.keys()].filter((each) => each !== undefined)
  if (label === undefined)
    throw new CrmError('bad_answer', `the server lists no type of links without a label for ${field}`, {
      hint: 'crm connectors check',
    })
  const near = nearest(label, labels)
  throw new CrmError('invalid_input', `no link in ${field} has the label ${JSON.stringify(label)}`, {
    hint: near === undefined ? `expected one of ${labels.join(', ')}` : `did you mean ${JSON.stringify(near)}?`,
  })
}
