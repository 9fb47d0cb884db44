import type { Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import { idText, isJsonObject, type JsonValue, parseExactJson } from '../../core/json.ts'
import type { ResourceDefinition } from '../../core/resources/field.ts'
import type { MergeGroup } from '../../jobs/plan/make-merge.ts'
import { writeNoteLine } from '../../output/safe-text.ts'
import { readInput } from '../../settings/read-input.ts'

const MOST_SHOWN = 20

/** Groups from a file: a JSON object a line, or a JSON array of them. CrmError `invalid_input` after all mistakes were printed. */
export async function readGroups(
  ctx: Context,
  file: string,
  { singular, plural }: Pick<ResourceDefinition, 'singular' | 'plural'>,
): Promise<readonly MergeGroup[]> {
  const text = await readInput(ctx, file, '--from')
  const mistakes: string[] = []
  const lineOf = new Map<string, number>()
  const groups = valuesIn(text, mistakes).flatMap(({ line, value }) => {
    const group = groupOf(value)
    if (typeof group === 'string') mistakes.push(`line ${line}: ${group}`)
    if (typeof group === 'string') return []
    for (const id of [group.winner, ...group.losers]) {
      const before = lineOf.get(id)
      if (before !== undefined) mistakes.push(`line ${line}: ${singular} ${id} is also in line ${before}`)
      lineOf.set(id, line)
    }
    return [group]
  })
  if (mistakes.length > 0) throw refuse(ctx, file, mistakes)
  if (groups.length > 0) return groups
  throw new CrmError('invalid_input', `${file} has no groups`, {
    hint: `crm ${plural} duplicates -o jsonl > ${file}`,
  })
}

interface Value {
  readonly line: number
  readonly value: JsonValue
}

function valuesIn(text: string, mistakes: string[]): readonly Value[] {
  if (text.trimStart().startsWith('[')) {
    const list = parsed(text, 1, mistakes)
    // Their places in the list.
    return Array.isArray(list?.value) ? list.value.map((value, at) => ({ line: at + 1, value })) : []
  }
  const lines = text.split('\n').map((each, at) => ({ each, line: at + 1 }))
  return lines.flatMap(({ each, line }) => (each.trim() === '' ? [] : (parsed(each, line, mistakes) ?? [])))
}

function parsed(text: string, line: number, mistakes: string[]): Value | undefined {
  try {
    return { line, value: parseExactJson(text) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    mistakes.push(`line ${line}: it is not JSON: ${error.message}`)
    return undefined
  }
}

/** A text says what is wrong with it. */
function groupOf(value: JsonValue): MergeGroup | string {
  if (!isJsonObject(value)) return 'expected an object such as {"winner":"con_1","ids":["con_1","con_2"]}'
  if (!Array.isArray(value.ids)) return 'expected a list "ids"'
  const ids = value.ids.map((id) => idText(id))
  const named = ids.filter((id) => id !== undefined && id !== '') as string[]
  if (named.length < ids.length) return '"ids" has a value that is no id'
  if (new Set(named).size < 2 || new Set(named).size < named.length) return 'expected two ids or more, each once'
  const winner = value.winner === undefined ? named[0] : idText(value.winner)
  if (winner === undefined || !named.includes(winner))
    return `the winner ${JSON.stringify(value.winner)} is not among its ids`
  return { winner, losers: named.filter((id) => id !== winner) }
}

function refuse({ io, flags }: Pick<Context, 'io' | 'flags'>, file: string, mistakes: readonly string[]): CrmError {
  const shown = flags.isQuiet ? [] : mistakes.slice(0, MOST_SHOWN).map((mistake) => `${file}, ${mistake}`)
  const hidden = mistakes.length - MOST_SHOWN
  for (const line of [...shown, ...(hidden > 0 && !flags.isQuiet ? [`and ${hidden} more`] : [])])
    writeNoteLine(io.stderr, line)
  const count = mistakes.length === 1 ? '1 error' : `${mistakes.length} errors`
  return new CrmError('invalid_input', `${count} in ${file}; nothing was sent`, {
    hint: 'correct the file, and run the same command again',
  })
}
