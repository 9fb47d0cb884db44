import type { Api } from '../../api/api.ts'
import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { exactDigits, idText, type JsonObject } from '../../core/json.ts'
import { absentMembers, type OtherValue, otherValues, otherValueText, sentValueText } from '../../core/other-values.ts'
import { type CrmRecord, FIELDS, type ListedResource, RESOURCES } from '../../core/resources/registry.ts'
import { valueAtField } from '../../output/record-output.ts'
import { type FieldsOptions, textForNumber, textMembers } from '../fields-input.ts'
import { listAll } from '../find.ts'
import { lackingValues } from './kept-values.ts'

type Text = readonly [name: string, raw: string]

/** Errors that end the command, because the write would fail, too. */
const FINAL: readonly string[] = ['usage', 'interrupted', 'unauthorized', 'rate_limited', 'unreachable', 'timeout']

/**
 * Before one record is written: CrmError `usage` when `--set score=5` writes a text and `score` is a number on this server.
 * Only members that crm does not know, with digits as their text, are checked, in a page of records.
 */
export async function refuseTextForNumber(
  ctx: Pick<Context, 'api'>,
  { set = [] }: FieldsOptions,
  resource: ListedResource,
): Promise<void> {
  const known: readonly string[] = FIELDS[resource]
  const texts: readonly Text[] = [...textMembers(set)].filter(
    ([name, raw]) => !known.includes(name) && /^-?\d+(?:\.\d+)?$/.test(raw),
  )
  if (texts.length === 0) return
  const api = await ctx.api()
  try {
    for await (const { items } of listAll(api, resource)) {
      const isNumberThere = (name: string) => items.some((record) => isNumber(valueAtField(record, name.split('.'))))
      const found = texts.find(([name]) => isNumberThere(name))
      if (found) throw textForNumber(...found)
      return
    }
  } catch (error) {
    if (!(error instanceof CrmError) || FINAL.includes(error.code)) throw error
    // The key may have no permission to read, or crm cannot read the list.
  }
}

/** Detects from the records whether an undocumented member is a number: sums would ignore a text in its place. */
export function createNumberCheck(set: readonly string[] = []) {
  const texts = [...textMembers(set)]
  let found: (typeof texts)[number] | undefined
  return {
    see(records: readonly CrmRecord[]): void {
      for (const record of records) found ??= texts.find(([name]) => isNumber(valueAtField(record, name.split('.'))))
    },
    /** CrmError `usage` if any record has a number where --set writes a text. */
    judge(): void {
      if (found) throw textForNumber(...found)
    },
  }
}

function isNumber(value: CrmRecord[string] | undefined): boolean {
  return typeof value === 'number' || exactDigits(value) !== undefined
}

interface Written {
  readonly api: Api
  readonly resource: ListedResource
  readonly record: CrmRecord
  readonly sent: JsonObject
}

/**
 * Notes sent values that the answer shows otherwise, and those that neither it nor the record shows: a server may ignore a member. Of an
 * update, also values that were to be cleared; CrmError `rejected` if the server kept none of its values.
 */
export async function noteOtherValues(
  ctx: Pick<Context, 'note'>,
  { isUpdate = false, ...written }: Written & { readonly isUpdate?: boolean },
): Promise<void> {
  const { api, resource, record, sent } = written
  const { references, connector } = api
  const { map } = connector.rules(resource)
  const all = otherValues(record, map.shown(sent, { references, record }))
  const isUnshown = ({ shown }: OtherValue) => shown === null
  const others = all.filter((each) => !isUnshown(each))
  if (others.length > 0)
    ctx.note(`The answer shows another value than was sent: ${others.map(otherValueText).join('; ')}`)
  const cleared = Object.keys(sent).filter((name) => isUpdate && sent[name] === null && !Object.hasOwn(record, name))
  const names = [...cleared, ...absentMembers(record, sent), ...all.filter(isUnshown).map(({ member }) => member)]
  const unshown = Object.fromEntries(Object.entries(sent).filter(([name]) => names.includes(name)))
  const { names: lacking, isRead } = await lackingValues(api, { resource, id: idText(record.id), sent: unshown })
  const texts = lacking.map((name) => sentValueText(name, sent[name] ?? null))
  if (texts.length > 0) ctx.note(`The ${isRead ? 'record' : 'answer'} does not show what was sent: ${texts.join('; ')}`)
  // Of other members the server may write a value in its own form.
  const refused = others.flatMap(({ member, asked }) => (member === 'stage' || asked === null ? [member] : []))
  const isNoneKept = Object.keys(sent).every((name) => refused.includes(name) || lacking.includes(name))
  if (!isUpdate || !isRead || !isNoneKept || Object.keys(sent).length === 0) return
  throw new CrmError(
    'rejected',
    `not kept: the server took the change of ${idText(record.id)}, and the record does not have it`,
    {
      hint: `crm ${RESOURCES[resource].plural} get ${idText(record.id)}`,
    },
  )
}
