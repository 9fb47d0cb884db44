import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { Document, isMap, isPair, isScalar, isSeq, type Node, type Pair, type Scalar } from 'yaml'
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
  const commented = new Set<unknown>()
  const add = (at: string, text: string) => comment(document.contents, at.split('.'), { text, commented })
  for (const { at, text } of open) add(at, `decide: ${text}`)
  for (const { at, text } of remarks) add(at, text)
  shorten(document.contents, 0, commented)
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

interface Comment {
  readonly text: string
  /** Nodes that must be in block style, for the comments within. */
  readonly commented: Set<unknown>
}

function comment(root: Node | null, at: readonly string[], { text, commented }: Comment): void {
  let node: unknown = root
  let place: Scalar | undefined
  for (const name of at) {
    if (!isMap(node)) break
    const pair = node.items.find((each) => isPair(each) && isScalar(each.key) && each.key.value === name) as
      | Pair<Scalar, unknown>
      | undefined
    if (!pair) break
    commented.add(node)
    place = pair.key
    node = pair.value
  }
  if (!place) return
  const line = commentLine(text)
  place.commentBefore = place.commentBefore ? `${place.commentBefore}\n${line}` : line
}

/** Levels that are always on lines of their own: the connector, its resources, and each of these. */
const BLOCK_LEVELS = 3

function shorten(node: unknown, level: number, commented: ReadonlySet<unknown>): void {
  if (!isMap(node) && !isSeq(node)) return
  const isOpen = isMap(node) && (commented.has(node) || hasCommentedBelow(node, commented))
  const isBlock = isOpen || isOutline(level, node) || JSON.stringify(node).length > FLOW_CHARS
  if (!isBlock || isSeq(node)) {
    node.flow = true
    return
  }
  for (const item of node.items) shorten(isPair(item) ? item.value : item, level + 1, commented)
}

function isOutline(level: number, node: unknown): boolean {
  const isResources = (key: unknown) =>
    isScalar(key) && ['list', 'path', 'contacts', 'deals', 'fields'].includes(String(key.value))
  return level < BLOCK_LEVELS && isMap(node) && (level === 0 || node.items.some(({ key }) => isResources(key)))
}

function hasCommentedBelow(node: unknown, commented: ReadonlySet<unknown>): boolean {
  if (!isMap(node)) return false
  return node.items.some(({ value }) => commented.has(value) || hasCommentedBelow(value, commented))
}
