import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { Document, isMap, isScalar, isSeq } from 'yaml'
import { oneLine } from '../../api/errors/one-line.ts'
import { CrmError } from '../../core/errors.ts'
import { errorCode, toMachineError } from '../../files/machine-error.ts'
import { printable } from './decisions.ts'
import type { Draft } from './make-draft.ts'

/** Writes the draft to a file; one that exists is replaced only with `isReplaceAllowed`. CrmError `unconfirmed` or `machine`. */
export async function writeDraft(path: string, text: string, isReplaceAllowed: boolean): Promise<void> {
  try {
    await writeFile(path, text, { flag: isReplaceAllowed ? 'w' : 'wx' })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw toMachineError(error, path)
    throw exists(path, error)
  }
}

/** CrmError `unconfirmed` for a file that is there, before anything is asked. */
export function refuseReplacing(path: string, isReplaceAllowed: boolean): void {
  if (!isReplaceAllowed && existsSync(path)) throw exists(path)
}

function exists(path: string, cause?: unknown): CrmError {
  return new CrmError('unconfirmed', `${path} exists, and is not replaced without --yes`, {
    hint: 'name another file, or add --yes',
    cause,
  })
}

/** Longer maps and lists stand on several lines. */
const FLOW_CHARS = 150

const COMMENT_CHARS = 300

interface Made {
  /** The document, or the host that was read. */
  readonly source: string
  readonly nowMs: number
}

/** The draft as YAML: open points and remarks as comments before the members that they are about. */
export function draftYaml({ value, open, remarks }: Draft, { source, nowMs }: Made): string {
  const { connector, name, ...rest } = value
  const drafted = new Date(nowMs).toISOString().slice(0, 10)
  const document = new Document({ connector, name, drafted, ...rest }, { aliasDuplicateObjects: false })
  const points = open.map(({ at, text }) => ({ at, text: `decide: ${text}` }))
  const opened = new Set([...points, ...remarks].flatMap(({ at, text }) => comment(document, at.split('.'), text)))
  shorten(document.contents, [], opened)
  const head = [`Draft of a connector, made by crm connectors create from ${source}.`]
  if (open.length > 0) head.push(`Points that are open: ${open.length}. "decide:" marks them.`)
  head.push('Compare it with the server: crm auth login --connector FILE, then crm connectors check --write')
  document.commentBefore = head.map(commentLine).join('\n')
  return document.toString({ lineWidth: 0, singleQuote: true, flowCollectionPadding: true, indentSeq: false })
}

/** Text of the document cannot end a comment, nor reach a terminal as a control sequence. */
function commentLine(text: string): string {
  return ` ${oneLine(printable(text), COMMENT_CHARS)}`
}

/** Writes it before the member, or the nearest one around it. Returns the maps around it: a comment needs lines of their own. */
function comment(document: Document, at: readonly string[], text: string): readonly unknown[] {
  const depth = at.findLastIndex((_, index) => document.hasIn(at.slice(0, index + 1)))
  const around = at.slice(0, depth + 1).map((_, index) => document.getIn(at.slice(0, index), true))
  const map = around.at(-1)
  const pair = isMap(map) && map.items.find(({ key }) => isScalar(key) && key.value === at[depth])
  if (!pair || !isScalar(pair.key)) return []
  const { key } = pair
  key.commentBefore = [key.commentBefore ?? [], commentLine(text)].flat().join('\n')
  return around
}

/** Maps and lists that are short enough stand on one line, but for the outline: connector, objects, each of them, its verbs. */
function shorten(node: unknown, at: readonly string[], opened: ReadonlySet<unknown>): void {
  if (!isMap(node) && !isSeq(node)) return
  const [first, , part] = at
  const isOutline = at.length === 0 || (first === 'objects' && (at.length < 3 || (at.length === 3 && part === 'verbs')))
  if (isSeq(node) || !(opened.has(node) || isOutline || JSON.stringify(node).length > FLOW_CHARS)) {
    node.flow = true
    return
  }
  for (const { key, value } of node.items) shorten(value, [...at, String(key)], opened)
}
