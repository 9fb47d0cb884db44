import type { ResourceDocument } from '../../connector/document.ts'
import type { References } from '../../connector/field-map.ts'
import { compilePath } from '../../connector/paths.ts'
import { CrmError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts'
import type { ParentRecord } from '../../core/resources/parents.ts'
import { RESOURCES, type Resource } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import { linksOfNew } from '../links/linked-records.ts'
import type { Answer } from '../transport/answer.ts'
import type { Call } from '../transport/call.ts'
import { requestText } from '../transport/headers.ts'
import { type AskedWrite, lossIn } from '../writes/judge-write.ts'
import { FailedRead } from '../writes/not-sent.ts'
import type { WriteCall } from '../writes/record.ts'
import type { WriteKind, WriteOutcome } from '../writes/write.ts'
import type { Connector } from './connector.ts'
import type { ConnectorRequest, RequestParts } from './requests.ts'
import type { OperationName, ResourceRules } from './resource-rules.ts'
import { noRecord, otherShown, shownAt } from './shown-at.ts'

/** What requests of one resource need besides the connector: a reader of single answers, and names of other records. */
export interface ExchangeParts {
  readonly connector: Connector
  readonly references: References & { load(resources: readonly Resource[]): Promise<void> }
  readonly http: { request(call: Call): Promise<Answer> }
}

type Texts = Pick<Call, 'action' | 'command' | 'findCommand'>

interface WriteTarget {
  readonly id?: string
  readonly fields?: JsonObject | undefined
  /** The fields as they are stored, which are sent where they are the whole body. */
  readonly bytes?: Buffer | undefined
  /** A create is an upsert by this field. */
  readonly upsert?: { readonly field: string; readonly value: JsonValue } | undefined
  /** An update that restores a deleted record. */
  readonly isRestore?: true | undefined
}

/** Turns operations on crm's records into requests of the server. */
export interface Exchange {
  /** The ids, and the records that the request of this operation needs. */
  known(name: OperationName, id: string | undefined, signal?: AbortSignal | undefined): Promise<RequestParts>
  call(request: ConnectorRequest, texts: Texts & Partial<Call>): Call
  write<Naming extends Texts & Partial<Call>>(
    kind: WriteKind,
    target: WriteTarget,
    naming: Naming,
  ): Promise<WriteCall & Naming>
  /** Asks for a record that was to be deleted: undefined if it is gone, else a clause with the reason why that is not known. */
  whyNotGone(id: string, signal?: AbortSignal | undefined): Promise<string | undefined>
}

export function createExchange(
  { connector, references, http }: ExchangeParts,
  { resource, parent }: { readonly resource: Resource; readonly parent: ParentRecord | undefined },
): Exchange {
  const { errors } = connector
  const call: Exchange['call'] = ({ body, ...request }, texts) => ({
    ...texts,
    ...request,
    ...(body !== undefined && { bytes: Buffer.from(JSON.stringify(body)) }),
    ...(request.method === 'POST' && { isRead: true }),
    ...(errors && { errors }),
  })

  const serverRecord = serverReader(connector, http, call)
  const checkIs = (of: Resource, id: string) => {
    if (!connector.rules(of).isId(id)) throw noRecord(of, id)
  }

  const rules = () => connector.rules(resource, parent?.of)
  const known: Exchange['known'] = async (name, id, signal) => {
    if (name === 'create' && !parent && rules().parent) throw withoutParent(resource)
    if (id !== undefined) checkIs(resource, id)
    if (parent && connector.document.resources[parent.of]) checkIs(parent.of, parent.id)
    const needsParent = parent && rules().needsParent(name)
    return {
      ...(id !== undefined && { id }),
      ...(parent && { parentId: parent.id }),
      ...(needsParent && { parent: await serverRecord(parent.of, parent.id, signal) }),
    }
  }

  return {
    known,
    call,
    write: async (kind, { id, fields, bytes, upsert, isRestore }, naming) => {
      const own = rules()
      const operation = isRestore ? 'restore' : kind
      // A connector without the operation says so before it judges a value.
      if (!upsert) own.operation(operation)
      await references.load(own.refs)
      const parts = await known(operation, id, naming.signal)
      const readCurrent = async () => (id === undefined ? undefined : serverRecord(resource, id, naming.signal))
      const { record, replaced } =
        (fields && (await recordOf(own, operation, { fields, references, readCurrent }))) ?? {}
      const { request: requestFor, judge } = writing(own, operation, upsert)
      const asked: AskedWrite = { kind, id, sent: fields, replaced }
      const links = await linksOfNew({ connector, http }, resource, { operation, upsert, fields, parent })
      const { body, ...request } = requestFor({ ...parts, ...(record && { record }), links })
      return {
        ...naming,
        ...request,
        kind,
        ...(fields && { body: fields }),
        ...(body !== undefined && { bytes: bytesOf(body, { fields, bytes, call: { ...naming, ...request } }) }),
        ...(kind !== 'create' && request.method === 'POST' && { isRepeatable: true }),
        ...(errors && { errors }),
        // A file of one's own; shipped ones are known to say what is sent.
        ...(kind === 'create' && connector.word !== connector.name && { fieldsHint: fieldsHint(connector, resource) }),
        isJudged: true,
        judge: (answer: Answer): WriteOutcome => judge(answer, asked, references),
        ...(fields && { shownIn: (record: JsonObject) => own.map.shown(fields, { references, record }) }),
        ...(replaced && { lostMembers: lossReader(replaced, readCurrent, connector.document.resources[resource]) }),
      }
    },
    whyNotGone: (id, signal) =>
      connector.offers(resource, 'get')
        ? whyNotGone(() => serverRecord(resource, id, signal))
        : Promise.resolve('no request shows whether the record is gone'),
  }
}

/** Of a job whose notes are on an object that this process does not know. */
function withoutParent(resource: Resource): CrmError {
  return new CrmError('not_supported', `what the ${resource} is on is not known here`, {
    hint: 'crm objects reads from the server what it has',
  })
}

type ServerReader = (of: Resource, id: string, signal: AbortSignal | undefined) => Promise<JsonObject>

function serverReader(connector: Connector, http: ExchangeParts['http'], call: Exchange['call']): ServerReader {
  return async (of, id, signal) => {
    const rules = connector.rules(of)
    const texts = { action: `get ${of} ${id}`, command: `crm ${RESOURCES[of].plural} get`, findCommand: undefined }
    const get = call(rules.request('get', { id }), { ...texts, signal, isJudged: true })
    const shown = shownAt(rules, id, await http.request(get))
    if (!shown) throw noRecord(of, id)
    if ('otherId' in shown) throw otherShown(get, shown.otherId)
    return shown.server
  }
}

function lossReader(
  replaced: NonNullable<AskedWrite['replaced']>,
  read: () => Promise<JsonObject | undefined>,
  document: Pick<ResourceDocument, 'inside'> | undefined,
): NonNullable<WriteCall['lostMembers']> {
  const inside = compilePath(document?.inside ?? '.')
  return async () => {
    const now = await read()
    return now && lossIn(replaced, now, { inside, isWhole: true })
  }
}

function fieldsHint({ document, word }: Connector, resource: Resource): Call['fieldsHint'] {
  const { plural } = RESOURCES[resource]
  const text = `its fields of ${plural} say what is sent: crm connectors show ${shellWord(word)}; correct them, then: crm connectors check --write`
  return { text, isDrafted: document.drafted !== undefined }
}

/** What is stored was JSON before; the values of a program may be none. */
function bytesOf(
  body: JsonValue,
  { fields, bytes, call }: Pick<WriteTarget, 'fields' | 'bytes'> & { readonly call: Call },
): Buffer {
  if (bytes) return body === fields ? bytes : Buffer.from(JSON.stringify(body))
  return Buffer.from(requestText(call, body))
}

async function whyNotGone(read: () => Promise<JsonObject>): Promise<string | undefined> {
  try {
    await read()
    return 'the record is still there'
  } catch (error) {
    if (!(error instanceof CrmError || error instanceof FailedRead)) throw error
    return error.code === 'not_found' ? undefined : error.message
  }
}

interface Writing {
  readonly fields: JsonObject
  readonly references: References
  readonly readCurrent: () => Promise<JsonObject | undefined>
}

interface WrittenTo {
  readonly record: JsonObject
  readonly replaced?: AskedWrite['replaced']
}

/** The members that are sent, by the server's names. */
async function recordOf(
  rules: ResourceRules,
  operation: OperationName,
  { fields, references, readCurrent }: Writing,
): Promise<WrittenTo> {
  if (operation !== 'update')
    return { record: rules.map.write(fields, { isCreate: operation === 'create', references }) }
  const { sends, drop, body } = rules.operation('update')
  const current = rules.needsCurrent(fields) ? await readCurrent() : undefined
  const besides = isJsonObject(body) ? Object.keys(body) : []
  const isWhole = sends === 'whole'
  const record = rules.map.write(fields, { isCreate: false, current, references, isWhole, drop, besides })
  return { record, ...(isWhole && current && { replaced: { before: current, sent: record } }) }
}

/** The request of a write, and what its answer says. */
function writing(rules: ResourceRules, name: OperationName, upsert: WriteTarget['upsert']) {
  if (!upsert) return { request: (parts: RequestParts) => rules.request(name, parts), judge: rules.judge(name) }
  const { request, judge } = rules.upsert(upsert.field)
  return { request: (parts: RequestParts) => request({ ...parts, value: upsert.value }), judge }
}
