import { CrmError } from '../../core/errors.ts'
import { isJsonObject, isSameJson, type JsonObject } from '../../core/json.ts'
import type { CrmRecord } from '../../core/resources/registry.ts'
import { shellWord } from '../../core/shell-words.ts'
import type { Env } from '../../core/streams.ts'
import { EXACT_READING, EXACT_WRITING } from '../../core/yaml-numbers.ts'
import { openInEditor } from '../../output/open-in-editor.ts'
import { safeText } from '../../output/safe-text.ts'

/** Loaded for an editor alone. Reading throws an Error with the position. */
export async function loadYaml() {
  const { parse, stringify } = await import('yaml')
  return {
    parseYaml: (text: string): unknown => parse(text, EXACT_READING),
    yamlText: (value: unknown) => stringify(value, EXACT_WRITING),
  }
}

export interface EditedRecord {
  /** A merge patch: the changed members, and null for removed ones. */
  readonly patch: JsonObject
  readonly text: string
  /** The path of the text, until it is removed. */
  readonly path: string
  forget(): Promise<void>
}

export type RefusedText = { readonly text: string; readonly problem: string }

interface EditOptions {
  readonly env: Env
  readonly isShown: (name: string) => boolean
  /** Opened in place of the record. */
  readonly draft: RefusedText | undefined
}

/** An editor that is a script could make the same mistake for ever. */
const MOST_ROUNDS = 20

/**
 * Opens the members of the record that can be changed as YAML in the editor. A text that is not a record is opened again, with the
 * error as a comment; CrmError `invalid_input`, with its path, if it is closed unchanged.
 */
export async function editRecord(record: CrmRecord, { env, isShown, draft }: EditOptions): Promise<EditedRecord> {
  const { parseYaml, yamlText } = await loadYaml()
  const before = Object.fromEntries(Object.entries(record).filter(([name]) => isShown(name)))
  let opened = draft ? withProblem(draft) : yamlText(before)
  for (let round = 1; ; round++) {
    const { text, path, forget } = await openInEditor({ text: opened, name: 'record.yaml' }, env)
    const after = parsed(parseYaml, text)
    if (typeof after !== 'string') return { patch: patchOf(before, after), text, path, forget }
    if (text === opened || round === MOST_ROUNDS) throw notRecord(after, path)
    opened = withProblem({ text, problem: after })
    await forget()
  }
}

function patchOf(before: JsonObject, after: JsonObject): JsonObject {
  const patch: JsonObject = {}
  for (const [name, value] of Object.entries(after)) {
    if (!isSameJson(value, before[name])) patch[name] = value
  }
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) patch[name] = null
  return patch
}

const COMMENT = '# crm: '

function withProblem({ text, problem }: RefusedText): string {
  const lines = text.split('\n').filter((line) => !line.startsWith(COMMENT))
  return [
    ...safeText(problem)
      .split('\n')
      .map((line) => COMMENT + line),
    ...lines,
  ].join('\n')
}

function parsed(parse: (text: string) => unknown, text: string): JsonObject | string {
  try {
    const value = parse(text)
    return isJsonObject(value) ? value : 'it is not an object'
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return error.message.split('\n')[0] ?? error.message
  }
}

function notRecord(reason: string, path: string): CrmError {
  return new CrmError('invalid_input', `cannot read the edited text: ${reason}; nothing was sent`, {
    hint: `the text stays in ${shellWord(path)}`,
  })
}
