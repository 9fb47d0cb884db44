import { readFile, stat } from 'node:fs/promises'
import { type Document, isNode, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml'
import { CrmError } from '../../core/errors.ts'
import type { JsonValue } from '../../core/json.ts'
import { EXACT_READING } from '../../core/yaml-numbers.ts'
import { type Cut, cutRecords, type DecodedText, type ReadValue } from './cut-records.ts'
import { inputError, inputName, isTooDeep, readHead, TOO_DEEP } from './input-file.ts'
import type { RowSpan } from './row.ts'

/** The limit for a file that must be read whole, which takes a hundred times its size in memory. */
const MOST_WHOLE_BYTES = 1024 * 1024
const SAMPLE_BYTES = 64 * 1024

/** One block list, with `-` at the beginning of lines. */
const ITEM_LIST = /^(?:(?:[ \t]*(?:#.*)?|%.*|---(?:[ \t].*)?)\r?\n)*-(?:\s|$)/

/** The items of a block list are parsed one by one; any other file is parsed whole: documents, or a list in brackets. */
export async function* readYaml(input: DecodedText): AsyncGenerator<readonly ReadValue[]> {
  const { path, name } = input
  if (ITEM_LIST.test((await readHead(path, SAMPLE_BYTES)).toString())) {
    for await (const cuts of cutRecords(input, cutItems)) yield cuts.flatMap((cut) => valuesOf(name, cut.text, cut))
    return
  }
  const { size } = await stat(path)
  if (size > MOST_WHOLE_BYTES) {
    const what = `${inputName(name)} has ${size} bytes; YAML in this form must be read whole, expected at most ${MOST_WHOLE_BYTES}`
    throw new CrmError('invalid_input', what, {
      hint: 'write it as one list whose items begin with - at the beginning of a line, or as jsonl: these can have any size',
    })
  }
  yield valuesOf(name, await readFile(path, 'utf8'), { line: 1, offset: 0 })
}

/** The contents of an item are indented (YAML 1.2, 8.2.1), so no part of them looks like the next item. */
const cutItems: Cut = (window, isLast) => {
  const starts = Array.from(`${window}${isLast ? '\n' : ''}`.matchAll(/^-(?=\s)/gm), ({ index }) => index)
  const ends = [...starts.slice(1), ...(isLast ? [window.length] : [])]
  return { cuts: ends.map((end, at) => [starts[at] ?? 0, end] as const), used: ends.at(-1) ?? starts[0] ?? 0 }
}

type Refuse = (what: string, cause?: unknown) => never

function valuesOf(name: string, text: string, start: Pick<RowSpan, 'line' | 'offset'>): readonly ReadValue[] {
  const lineCounter = new LineCounter()
  const documents: readonly Document[] = [...parseAllDocuments(text, { ...EXACT_READING, lineCounter })]
  const placeAt = (at: number) => {
    const { line, col: column } = lineCounter.linePos(at)
    return { line: start.line + line - 1, column }
  }
  const refuseAt = (at: number, what: string, cause: unknown): never => {
    throw inputError({ name, ...placeAt(at), what: `not YAML: ${what}`, hint: 'correct it there', cause })
  }
  let { offset } = start
  let read = 0
  for (const { errors } of documents) {
    const [error] = errors
    if (error) refuseAt(error.pos[0], error.message.replace(/(?: at line \d+, column \d+:?)?(?:\n.*)?$/s, ''), error)
  }
  return documents.flatMap((document) =>
    itemsOf(document).map((node) => {
      const [from = 0, to = 0] = node.range ?? []
      // Includes the dash and its indentation: an item parsed alone means the same only at its own indentation.
      const isInBlock = isSeq(document.contents) && document.contents.flow !== true
      const itemStart = isInBlock ? text.lastIndexOf('\n', from) + 1 : from
      offset += Buffer.byteLength(text.slice(read, itemStart))
      read = itemStart
      const length = Buffer.byteLength(text.slice(itemStart, to))
      const value = jsonOf(node, document, (what, cause) => refuseAt(from, what, cause))
      return { line: placeAt(itemStart).line, offset, length, value }
    }),
  )
}

/** An undefined alias, or one that expands beyond all bounds, is found only here. */
function jsonOf(node: Node, document: Document, refuse: Refuse): JsonValue {
  try {
    const value = node.toJS(document) as JsonValue
    return isTooDeep(JSON.stringify(value)) ? refuse(TOO_DEEP) : value
  } catch (error) {
    if (error instanceof ReferenceError) return refuse(error.message, error)
    if (error instanceof RangeError) return refuse(TOO_DEEP, error)
    throw error
  }
}

/** The items of a list, or the single value; none for an empty document. */
function itemsOf({ contents }: Document): readonly Node[] {
  if (isSeq(contents)) return contents.items.filter(isNode)
  return isNode(contents) && contents.range?.[0] !== contents.range?.[1] ? [contents] : []
}

/** Converts the YAML text of one item to JSON. */
export function yamlToJson(text: string): string {
  const [document] = [...parseAllDocuments(text, EXACT_READING)]
  const [node] = document ? itemsOf(document) : []
  return JSON.stringify(document && node?.toJS(document))
}
