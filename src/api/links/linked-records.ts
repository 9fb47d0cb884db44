import { Buffer } from 'node:buffer'
import type { LinkRequest, LinksDocument } from '../../connector/document.ts'
import { compilePath, optionalPath, readAll, readFirst } from '../../connector/paths.ts'
import { compileTemplate, fill } from '../../connector/templates.ts'
import { CrmError } from '../../core/errors.ts'
import { idText, isJsonObject, type JsonObject, type JsonValue, jsonIn } from '../../core/json.ts'
import { EXPECTED_LINKS, linkIn, linksIn, wholeLinks } from '../../core/links.ts'
import { nearest } from '../../core/nearest.ts'
import type { ParentRecord } from '../../core/resources/parents.ts'
import { type CrmRecord, RESOURCES, type Resource } from '../../core/resources/registry.ts'
import type { Connector } from '../connectors/connector.ts'
import type { Failure } from '../errors/failure.ts'
import { badPage } from '../pages/page-errors.ts'
import type { Answer } from '../transport/answer.ts'
import { type Call, cannot } from '../transport/call.ts'
import { FailedRead } from '../writes/not-sent.ts'
import { type LinkTypes, linkReader, linkTypesIn, type ReadLinks } from './read-links.ts'

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

export interface LinkFault {
  readonly field: string
  /** A clause about the answer. */
  readonly why: string
  /** The server named an error; the links that the record had are still there. */
  readonly isRefused: boolean
}

/** The links of the records of one object: fields that requests of their own read and write. */
export interface LinkedRecords {
  readonly fields: readonly string[]
  /** A create has the links in its own request. */
  readonly isInCreate: boolean
  /** The records with the fields that were asked for. CrmError `bad_answer` unless each record is accounted for. */
  withLinks(records: readonly CrmRecord[]): Promise<readonly CrmRecord[]>
  types(field: string): Promise<LinkTypes>
  /** Reads the ids of the records that are linked with another one; undefined if no field has such links. */
  idsOn(other: ParentRecord): (() => Promise<readonly string[]>) | undefined
  /** The links in the body of a create, with that to its parent; none where they are made after it. */
  ofNew(fields: JsonObject, parent?: ParentRecord): Promise<readonly JsonValue[]>
  /** Makes and takes away what is needed; the same again changes nothing more. Returns the records whose links are not as wanted. */
  write(writes: readonly LinkWrite[]): Promise<ReadonlyMap<string, LinkFault>>
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
  add: 'create',
  remove: 'remove',
  unlabel: 'remove labels from',
}

class Links implements LinkedRecords {
  readonly fields: readonly string[]
  readonly isInCreate: boolean
  readonly #parts: LinkParts
  readonly #resource: Resource
  readonly #links: LinksDocument
  readonly #read: ReadLinks
  readonly #readOther: ReadLinks

  constructor(parts: LinkParts, own: { resource: Resource; links: LinksDocument; fields: readonly string[] }) {
    this.#parts = parts
    this.#resource = own.resource
    this.#links = own.links
    this.fields = own.fields
    this.isInCreate = own.links.new !== undefined
    const reader = (from?: 'other') =>
      linkReader(own.links, async (field, items) => {
        const { call, json } = await this.#ask('read', field, items, from)
        const { mismatchHint } = parts.connector
        return {
          json,
          refuse: (why) => {
            throw badPage(call, why, mismatchHint)
          },
        }
      })
    this.#read = reader()
    this.#readOther = reader('other')
  }

  #fieldTo(of: Resource | undefined): string | undefined {
    const { fields = {} } = this.#parts.connector.document.resources[this.#resource]?.links ?? {}
    return this.fields.find((field) => fields[field]?.to === of)
  }

  idsOn({ of, id }: ParentRecord): (() => Promise<readonly string[]>) | undefined {
    const field = this.#fieldTo(of)
    if (field === undefined) return undefined
    return async () => {
      const links = (await this.#readOther(field, [id])).get(id) ?? []
      return [...new Set(links.map((link) => linkIn(link).id))]
    }
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

  async ofNew(fields: JsonObject, parent?: ParentRecord): Promise<readonly JsonValue[]> {
    const { new: ofNew } = this.#links
    if (ofNew === undefined) return []
    const template = compileTemplate(ofNew)
    const all: JsonValue[] = []
    for (const field of this.fields) {
      const own = parent && field === this.#fieldTo(parent.of) ? [parent.id] : []
      const pairs = await this.#pairs('', field, wholeLinks([...own, ...textsIn(fields[field] ?? [])]))
      all.push(...pairs.map((pair) => fill(template, { ...pair }) ?? null))
    }
    return all
  }

  async write(writes: readonly LinkWrite[]): Promise<ReadonlyMap<string, LinkFault>> {
    const faults = new Map<string, LinkFault>()
    for (const field of this.fields) {
      const its = writes.filter(({ id, fields }) => Object.hasOwn(fields, field) && !faults.has(id))
      if (its.length > 0) await this.#writeField(field, its, faults)
    }
    return faults
  }

  async #writeField(field: string, writes: readonly LinkWrite[], faults: Map<string, LinkFault>): Promise<void> {
    const now = await this.#read(
      field,
      writes.map(({ id }) => id),
    )
    const pairs = { add: [] as Pair[], remove: [] as Pair[], unlabel: [] as Pair[] }
    const gone = new Map<string, readonly string[]>()
    for (const { id, fields, was } of writes) {
      const change = changeOf(textsIn(fields[field]), now.get(id) ?? [], wasIn(was, field))
      for (const name of ['add', 'remove', 'unlabel'] as const)
        pairs[name].push(...(await this.#pairs(id, field, change[name])))
      const taken = [...change.remove, ...change.unlabel]
      if (taken.length > 0) gone.set(id, taken)
    }
    // What is made comes first: a refused link takes none away.
    await this.#add(field, pairs.add, faults)
    const isWhole = ({ id }: Pick<Pair, 'id'>) => !faults.has(id)
    await this.#send('remove', field, pairs.remove.filter(isWhole))
    await this.#send('unlabel', field, pairs.unlabel.filter(isWhole))
    for (const id of faults.keys()) gone.delete(id)
    await this.#checkGone(field, gone, faults)
  }

  async #add(field: string, pairs: readonly Pair[], faults: Map<string, LinkFault>): Promise<void> {
    const { size } = this.#links
    for (let at = 0; at < pairs.length; at += size) await this.#addSome(field, pairs.slice(at, at + size), faults)
  }

  /** A request that is refused as a whole is halved, until the refused link is alone. */
  async #addSome(field: string, pairs: readonly Pair[], faults: Map<string, LinkFault>): Promise<void> {
    try {
      const answers = await this.#send('add', field, pairs)
      const made = this.#madeIn(answers)
      const left = pairs.filter(({ id, to }) => !made.has(`${id} ${to}`))
      addFaults(faults, { field, pairs: left, refusal: this.#refusalIn(answers) })
    } catch (error) {
      if (!(error instanceof FailedRead) || !isRefusal(error.failure)) throw error
      const middle = Math.ceil(pairs.length / 2)
      if (middle === pairs.length) addFaults(faults, { field, pairs, refusal: error.failure.reason })
      else for (const half of [pairs.slice(0, middle), pairs.slice(middle)]) await this.#addSome(field, half, faults)
    }
  }

  /** The answers show nothing of links and labels that were taken away. */
  async #checkGone(field: string, gone: ReadonlyMap<string, readonly string[]>, faults: Map<string, LinkFault>) {
    if (gone.size === 0) return
    const now = await this.#read(field, gone.keys())
    for (const [id, values] of gone) {
      const left = values.find((value) => now.get(id)?.includes(value))
      if (left !== undefined)
        faults.set(id, { field, why: `reports success, but ${left} is still in ${field}`, isRefused: false })
    }
  }

  #madeIn(answers: readonly JsonValue[]): ReadonlySet<string> {
    const { results, id, to } = this.#links.add
    const [all, idAt, toAt] = [compilePath(results), compilePath(id), compilePath(to)] as const
    const made = answers.flatMap((json) => readAll(all, json))
    return new Set(made.map((link) => `${idText(readFirst(idAt, link))} ${idText(readFirst(toAt, link))}`))
  }

  #refusalIn(answers: readonly JsonValue[]): string | undefined {
    const errors = optionalPath(this.#links.add.errors)
    const [error] = errors ? answers.flatMap((json) => readAll(errors, json)) : []
    if (error === undefined) return undefined
    return this.#parts.connector.errors?.problem(error).message || JSON.stringify(error)
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

  async #ask(name: LinkRequest, field: string, items: readonly JsonValue[], from?: 'other') {
    const { connector, http } = this.#parts
    const { plural } = RESOURCES[this.#resource]
    const { body, ...request } = connector.rules(this.#resource).linkRequest(name, field, items, from)
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
  const names = Object.keys(fields).filter((name) => linked?.fields.includes(name))
  if (!linked || names.length === 0) return writeOwn()
  const isOwn = Object.keys(fields).length > names.length
  const written = isOwn ? await writeOwn() : { id }
  const fault = (await linked.write([{ id, fields, was: undefined }])).get(id)
  if (!fault) return written
  throw new CrmError(fault.isRefused ? 'rejected' : 'in_doubt', `${cannot(call)}: the answer ${fault.why}`, {
    hint: call.showCommand ?? call.findCommand ?? 'crm objects',
  })
}

interface AskedCreate {
  readonly operation: string
  readonly upsert: object | undefined
  readonly fields: JsonObject | undefined
  readonly parent: ParentRecord | undefined
}

/** The links in the request of a create, with that to its parent; none in any other. */
export async function linksOfNew(
  parts: LinkParts,
  resource: Resource,
  { operation, upsert, fields, parent }: AskedCreate,
): Promise<readonly JsonValue[]> {
  if (operation !== 'create' || upsert || !fields) return []
  return linkedRecords(parts, resource)?.ofNew(fields, parent) ?? []
}

interface Unmade {
  readonly field: string
  readonly pairs: readonly Pair[]
  /** What the server says against it; undefined: nothing. */
  readonly refusal: string | undefined
}

function addFaults(faults: Map<string, LinkFault>, { field, pairs, refusal }: Unmade): void {
  for (const { id, to } of pairs) {
    const why = `does not include the link to ${to} in ${field}${refusal === undefined ? '' : `: ${refusal}`}`
    faults.set(id, { field, why, isRefused: refusal !== undefined })
  }
}

/** Of these links, and not of the key, of the address or for a time. */
export function isRefusal({ rule, status }: Failure): boolean {
  return rule === 'never' && (status === 400 || status === 409 || status === 422)
}

/** What turns the links that are there into those that are wanted. */
function changeOf(given: readonly string[], now: readonly string[], was = now) {
  const wanted = wholeLinks(given)
  const gone = now.filter((value) => was.includes(value) && !wanted.includes(value))
  const remove = gone.filter((value) => linkIn(value).label === undefined)
  return {
    add: wanted.filter((value) => !now.includes(value)),
    remove,
    unlabel: gone.filter((value) => !remove.includes(linkIn(value).id)),
  }
}

/** What the record had; undefined if that is not known. */
function wasIn(was: string | undefined, field: string): readonly string[] | undefined {
  const before = was === undefined ? undefined : jsonIn(was)
  return isJsonObject(before) && Object.hasOwn(before, field) ? textsIn(before[field]) : undefined
}

function textsIn(value: JsonValue | undefined): readonly string[] {
  const links = linksIn(value)
  if (links) return links
  throw new CrmError('invalid_input', `${JSON.stringify(value)} is not a list of links`, { hint: EXPECTED_LINKS })
}

/** CrmError with the labels that there are. */
export function refuseLabel(field: string, label: string | undefined, types: LinkTypes): never {
  const labels = [...types.keys()].filter((each) => each !== undefined)
  if (label === undefined)
    throw new CrmError('bad_answer', `the server lists no type of links without a label for ${field}`, {
      hint: 'crm connectors check',
    })
  const near = nearest(label, labels)
  throw new CrmError('invalid_input', `there is no label ${JSON.stringify(label)} for ${field}`, {
    hint: near === undefined ? `expected one of ${labels.join(', ')}` : `did you mean ${JSON.stringify(near)}?`,
  })
}
