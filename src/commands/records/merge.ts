import { type CommandUnknownOpts, InvalidArgumentError } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { ExitCode } from '../../core/exit.ts'
import { idText, isJsonObject, type JsonValue, parseExactJson } from '../../core/json.ts'
import type { ResourceDefinition } from '../../core/resources/field.ts'
import {
  fieldOf,
  IMPORTABLE_NOUNS,
  type ImportableResource,
  isListed,
  type OpenResource,
  RESOURCES,
  resourceOf,
} from '../../core/resources/registry.ts'
import type { MergeGroup, MergeRule, Reference } from '../../jobs/plan/make-merge.ts'
import { writeNoteLine } from '../../output/safe-text.ts'
import { readInput } from '../../settings/read-input.ts'
import { addRunFlags } from '../bulk/bulk-flags.ts'
import { showOrSendMade } from '../bulk/import-rows.ts'
import { addExpectFlag, type PlanFlags } from '../bulk/plan.ts'
import { examples } from '../command-tree.ts'
import { collect } from '../fields-input.ts'
import { findMany } from '../find-many.ts'
import { addScopedFlags } from '../flags.ts'

const RULES: readonly MergeRule[] = ['winner', 'newest', 'longest', 'union']

/** More records than these are found in the list, and not by a request for each. */
const MOST_ASKED = 20

type Mergeable = OpenResource & ImportableResource

interface MergeCommand {
  readonly resource: Mergeable
  readonly examples: readonly string[]
}

interface Options extends PlanFlags {
  readonly from?: string
  readonly rule?: readonly string[]
  /** Undefined: they are deleted. */
  readonly losers?: string | undefined
  readonly unique?: readonly string[]
}

export function addMerge(parent: CommandUnknownOpts, act: Act, { resource, examples: lines }: MergeCommand): void {
  const { singular, plural, uniqueBy = 'id' }: ResourceDefinition = RESOURCES[resource]
  const command = parent
    .command('merge [winner] [losers...]')
    .description(`make one ${singular} of several; runs as a job, which crm jobs undo reverts`)
    .option('--from <file>', `groups, as crm ${plural} duplicates -o jsonl prints them; - reads stdin`)
    .option(
      '--rule <member=rule>',
      "winner, newest, longest or union, for a member or for all ('*=newest'); default: the winner's value, else the newest (repeatable)",
      collect,
    )
    .option('--losers <how>', 'delete, or mark=MEMBER: the id of the winner in that member', parseLosers)
    .option(
      '--unique <list>',
      `members that the server keeps unique, such as phone: the winner gets those of a loser when that is deleted; always so for ${uniqueBy}`,
      parseUnique,
    )
    .option('--plan <file>', 'write what would be sent to this file, for crm apply, and send nothing')
    .addHelpText('after', examples(...lines))
    .action(
      act((ctx, winner: string | undefined, losers: readonly string[], options: Options) =>
        mergeRecords(ctx, resource, winner === undefined ? [] : [winner, ...losers], options),
      ),
    )
  addExpectFlag(command)
  addRunFlags(command)
  addScopedFlags(command, ['yes', 'dryRun', 'exitCode', 'progress'])
}

function parseLosers(text: string): string | undefined {
  if (text === 'delete') return undefined
  const [, member] = /^mark=(.+)$/.exec(text) ?? []
  if (member === undefined) throw new InvalidArgumentError('Expected delete, or mark=MEMBER.')
  return member
}

function parseUnique(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim())
  if (names.some((name) => name === '')) throw new InvalidArgumentError('Expected names of members, such as phone.')
  return names.toSorted()
}

async function mergeRecords(
  ctx: Context,
  resource: Mergeable,
  words: readonly string[],
  options: Options,
): Promise<ExitCode> {
  refuseUniqueMarks(options)
  const groups = await groupsOf(ctx, resource, words, options.from)
  const rules = new Map((options.rule ?? []).map(parseRule))
  const [api, jobs] = [await ctx.api(), await ctx.jobs()]
  const references = await referencesTo(ctx, resource)
  const ids = groups.flatMap(({ winner, losers }) => [winner, ...losers])
  const pages = ids.length > MOST_ASKED ? undefined : findMany(api, resource, ids).pages
  const noun = RESOURCES[resource].plural
  const unique = options.unique ?? []
  const made = await jobs.plan('merge', { noun, groups, rules, mark: options.losers, unique, references, pages })
  if (references.length > 0 && made.type === 'made' && made.job.first?.length === 0)
    ctx.note(
      `No record names a loser: ${references.map(({ noun, members }) => `${members.join(', ')} of ${noun}`).join('; ')}.`,
    )
  if (made.type === 'made' && made.job.end.delete > 0)
    ctx.note('An undo makes the losers again, with new values of id, created_at, updated_at and version.')
  return showOrSendMade(ctx, made, options.from ?? 'merge', options)
}

function refuseUniqueMarks({ losers, unique }: Options): void {
  if (losers === undefined || unique === undefined) return
  throw new CrmError('usage', `--unique ${unique.join(',')}: losers that are marked keep their values`, {
    hint: 'leave out --losers, so that they are deleted, or --unique',
  })
}

async function groupsOf(
  ctx: Context,
  resource: Mergeable,
  [winner, ...losers]: readonly string[],
  from: string | undefined,
): Promise<readonly MergeGroup[]> {
  const { plural } = RESOURCES[resource]
  if ((winner === undefined) === (from === undefined)) {
    throw new CrmError('usage', winner === undefined ? 'no records to merge' : '--from and ids both name the records', {
      hint: `crm ${plural} merge WINNER LOSER..., or --from groups.jsonl`,
    })
  }
  if (from !== undefined) return readGroups(ctx, from, RESOURCES[resource])
  if (winner === undefined || losers.length === 0 || losers.includes(winner) || new Set(losers).size < losers.length) {
    throw new CrmError('usage', `a merge needs a winner and other ${plural}, each once`, {
      hint: `crm ${plural} merge WINNER LOSER...`,
    })
  }
  return [{ winner, losers }]
}

function parseRule(text: string): readonly [string, MergeRule] {
  const at = text.lastIndexOf('=')
  const rule = RULES.find((each) => each === text.slice(at + 1))
  if (at < 1 || !rule) {
    throw new CrmError('usage', `--rule ${JSON.stringify(text)}: expected MEMBER=RULE`, {
      hint: `RULE is one of ${RULES.join(', ')}, such as --rule phone=newest`,
    })
  }
  return [text.slice(0, at), rule]
}

/** How the records of a server name those of this resource: the objects that its connector can list. */
async function referencesTo(ctx: Pick<Context, 'api' | 'note'>, resource: OpenResource): Promise<readonly Reference[]> {
  const { document, offers } = (await ctx.api()).connector
  const { singular } = RESOURCES[resource]
  const member = `${singular}_id`
  if (Object.hasOwn(document.resources.note?.fields ?? {}, member))
    ctx.note(`Notes whose ${member} names a loser are not changed: crm changes no notes.`)
  const referring = IMPORTABLE_NOUNS.flatMap((noun) => {
    const object = resourceOf(noun)
    const { fields = {} } = document.resources[object] ?? {}
    const members = Object.keys(fields).filter((name) => (fieldOf(object, name)?.to ?? byName(name)) === resource)
    const fixed = members.filter((name) => fields[name]?.when === 'create')
    return members.length > 0 && isListed(object) && offers(object, 'list') ? [{ noun, members, fixed }] : []
  })
  if (referring.length === 0)
    ctx.note(`The connector describes no record that names a ${singular}, so none is changed to name the winner.`)
  return referring

  /** Connectors of other servers do not say what a field refers to. */
  function byName(name: string): OpenResource | undefined {
    return name === member ? resource : undefined
  }
}

const MOST_SHOWN = 20

/** Groups from a file: a JSON object a line, or a JSON array of them. CrmError `invalid_input` after all mistakes were printed. */
async function readGroups(
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
