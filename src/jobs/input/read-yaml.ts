import { readFile, stat } from 'node:fs/promises'
import type { Document, Node } from 'yaml'
import { CrmError } from '../../core/errors.ts'
import type { JsonValue } from '../../core/json.ts'
import { codecOf } from './codec.ts'
import type { ReadValue } from './cut-records.ts'
import { bomBytes, type CutInput, cutRecords } from './cut-records.ts'
import { createYamlItemCutter, isItemList } from './cut-yaml-items.ts'
import { inputError, inputName, isTooDeep, TOO_DEEP } from './input-error.ts'
import { readHead } from './read-chunks.ts'
import { isBlockList, itemsOf, parseYamlDocuments } from './yaml-documents.ts'

/** The limit for a file that must be read whole, which takes a hundred times its size in memory. */
const MOST_WHOLE_BYTES = 1024 * 1024
const SAMPLE_BYTES = 64 * 1024

/** The items of a block list are parsed one by one; any other file is parsed whole: documents, or a list in brackets. */
export async function* readYaml(input: CutInput): AsyncGenerator<readonly ReadValue[]> {
  const { units, text, unitBytes } = codecOf(input.encoding)
  const decode = (bytes: Buffer): string => text(units(bytes))
  const start = decode((await readHead(input.path, SAMPLE_BYTES)).subarray(bomBytes(input)))
  if (!isItemList(start)) {
    await refuseLarge(input)
    const whole = decode((await readFile(input.path)).subarray(bomBytes(input)))
    yield valuesOf(input, whole, { line: 1, offset: bomBytes(input) })
    return
  }
  for await (const { cuts, window } of cutRecords(input, createYamlItemCutter(input.name, unitBytes))) {
    yield cuts.flatMap((cut) => {
      const place = { line: cut.line, offset: window.offset + cut.start * unitBytes }
      return valuesOf(input, text(window.units.slice(cut.start, cut.end)), place)
    })
  }
}

async function refuseLarge({ path, name }: CutInput): Promise<void> {
  const { size } = await stat(path)
  if (size <= MOST_WHOLE_BYTES) return
  const what = `${inputName(name)} has ${size} bytes; YAML in this form must be read whole, expected at most ${MOST_WHOLE_BYTES}`
  throw new CrmError('invalid_input', what, {
    hint: 'write it as one list whose items begin with - at the beginning of a line, or as jsonl: these can have any size',
  })
}

type Start = Pick<ReadValue, 'line' | 'offset'>

function valuesOf(input: CutInput, text: string, start: Start): readonly ReadValue[] {
  const placeOf = createPlaces(input, text, start)
  const refuse = (at: number, what: string, cause: unknown): never => {
    const { line, offset } = placeOf(at, at)
    throw inputError({ name: input.name, line, offset, what: `not YAML: ${what}`, hint: 'correct it there', cause })
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
function createPlaces({ encoding }: CutInput, text: string, first: Start): PlaceOf {
  const { bytes } = codecOf(encoding)
  let at = 0
  let { line, offset } = first
  return (start, end) => {
    const between = text.slice(at, start)
    offset += bytes(between).length
    line += between.split('\n').length - 1
    at = start
    return { line, offset, length: bytes(text.slice(start, end)).length }
  }
}
