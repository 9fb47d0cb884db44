import { readFile, stat } from 'node:fs/promises'
import { type Document, isNode, isSeq, type Node, parseAllDocuments } from 'yaml'
import { CrmError } from '../../core/errors.ts'
import type { JsonValue } from '../../core/json.ts'
import { EXACT_READING } from '../../core/yaml-numbers.ts'
import { type Cutter, cutRecords, type DecodedText, type ReadValue } from './cut-records.ts'
import { inputError, inputName, isTooDeep, readHead, TOO_DEEP } from './input-file.ts'

/** The limit for a file that must be read whole, which takes a hundred times its size in memory. */
const MOST_WHOLE_BYTES = 1024 * 1024
const SAMPLE_BYTES = 64 * 1024

/** The items of a block list are parsed one by one; any other file is parsed whole: documents, or a list in brackets. */
export async function* readYaml(input: DecodedText): AsyncGenerator<readonly ReadValue[]> {
  if (isItemList((await readHead(input.path, SAMPLE_BYTES)).toString())) {
    const items = cutRecords(input, createItemCutter())
    for await (const cuts of items) yield cuts.flatMap(({ text, ...place }) => valuesOf(input, text, place))
    return
  }
  await refuseLarge(input)
  yield valuesOf(input, await readFile(input.path, 'utf8'), { line: 1, offset: 0 })
}

async function refuseLarge({ path, name }: DecodedText): Promise<void> {
  const { size } = await stat(path)
  if (size <= MOST_WHOLE_BYTES) return
  const what = `${inputName(name)} has ${size} bytes; YAML in this form must be read whole, expected at most ${MOST_WHOLE_BYTES}`
  throw new CrmError('invalid_input', what, {
    hint: 'write it as one list whose items begin with - at the beginning of a line, or as jsonl: these can have any size',
  })
}

type Start = Pick<ReadValue, 'line' | 'offset'>

function valuesOf({ name }: DecodedText, text: string, start: Start): readonly ReadValue[] {
  const placeOf = createPlaces(text, start)
  const refuse = (at: number, what: string, cause: unknown): never => {
    const { line } = placeOf(at, at)
    throw inputError({
      name,
      line,
      column: at - text.lastIndexOf('\n', at - 1),
      what: `not YAML: ${what}`,
      hint: 'correct it there',
      cause,
    })
  }
  return parseYaml(text, refuse).flatMap((document) =>
    itemsOf(document).map((node) => {
      const [from = 0, to = 0] = node.range ?? []
      // Includes the dash and its indentation: an item parsed alone means the same only at its own indentation.
      const itemStart = isBlockList(document) ? text.lastIndexOf('\n', from) + 1 : from
      return {
        ...placeOf(itemStart, to),
        value: jsonOf(node, document, (what, cause) => refuse(from, what, cause)),
      }
    }),
  )
}

type Refuse = (at: number, what: string, cause: unknown) => never

function parseYaml(text: string, refuse: Refuse): readonly Document[] {
  const documents = parseYamlDocuments(text)
  for (const { errors } of documents) {
    const [error] = errors
    if (!error) continue
    const [what = ''] = error.message.split('\n', 1)
    refuse(error.pos[0], what.replace(/ at line \d+, column \d+:?$/, ''), error)
  }
  return documents
}

/** An undefined alias, or one that expands beyond all bounds, is found only here. */
function jsonOf(node: Node, document: Document, refuse: (what: string, cause: unknown) => never): JsonValue {
  try {
    const value = node.toJS(document) as JsonValue
    return isTooDeep(JSON.stringify(value)) ? refuse(TOO_DEEP, undefined) : value
  } catch (error) {
    if (error instanceof ReferenceError) return refuse(error.message, error)
    if (error instanceof RangeError) return refuse(TOO_DEEP, error)
    throw error
  }
}

type PlaceOf = (start: number, end: number) => Pick<ReadValue, 'line' | 'offset' | 'length'>

/** Places must be requested in order: each search starts at the one before. */
function createPlaces(text: string, first: Start): PlaceOf {
  let at = 0
  let { line, offset } = first
  return (start, end) => {
    const between = text.slice(at, start)
    offset += Buffer.byteLength(between)
    line += between.split('\n').length - 1
    at = start
    return { line, offset, length: Buffer.byteLength(text.slice(start, end)) }
  }
}

/** Whether the text is one block list, with `-` at the beginning of lines; only that form can be cut. */
function isItemList(start: string): boolean {
  return /^(?:(?:[ \t]*(?:#.*)?|%.*|---(?:[ \t].*)?)\r?\n)*-(?:\s|$)/.test(start)
}

/** The contents of an item are indented (YAML 1.2, 8.2.1), so no part of them looks like the next item. */
function createItemCutter(): Cutter {
  let line = 1
  const passLines = (text: string): void => {
    line += text.split('\n').length - 1
  }
  return {
    line: () => line,
    cut: ({ units, isLast }) => {
      const [first, ...others] = Array.from(units.matchAll(/^-(?=\s|$)/gm), ({ index }) => index)
      if (first === undefined) return { cuts: [], used: 0 }
      passLines(units.slice(0, first))
      let start = first
      const cuts = [...others, ...(isLast ? [units.length] : [])].map((end) => {
        const cut = { start, end, line }
        passLines(units.slice(start, end))
        start = end
        return cut
      })
      return { cuts, used: start }
    },
  }
}

/** Errors are in the documents; numbers keep their digits. */
function parseYamlDocuments(text: string): readonly Document[] {
  return [...parseAllDocuments(text, EXACT_READING)]
}

/** The items of a list, or the single value; none for an empty document. */
function itemsOf({ contents }: Document): readonly Node[] {
  if (isSeq(contents)) return contents.items.filter(isNode)
  return isNode(contents) && contents.range?.[0] !== contents.range?.[1] ? [contents] : []
}

function isBlockList({ contents }: Document): boolean {
  return isSeq(contents) && contents.flow !== true
}

/** Converts the YAML text of one item to JSON. */
export function yamlToJson(text: string): string {
  const [document] = parseYamlDocuments(text)
  const [node] = document ? itemsOf(document) : []
  return JSON.stringify(document && node?.toJS(document))
}
