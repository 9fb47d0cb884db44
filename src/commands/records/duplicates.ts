import { type CommandUnknownOpts, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { ResourceDefinition } from '../../core/resources/field.ts'
import { type CrmRecord, type OpenResource, RESOURCES } from '../../core/resources/registry.ts'
import type { DuplicateGroup, WinnerRule } from '../../duplicates/find-duplicates.ts'
import type { MatchKey } from '../../duplicates/match-key.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { allOf, createMemberCheck } from '../member-check.ts'
import { chosenPages, listOf } from '../print.ts'
import { printDerived } from '../print-derived.ts'

const WINNERS: readonly WinnerRule[] = ['fullest', 'newest', 'oldest']

/** What it finds and misses is in docs/decisions/0029-duplicates.md. */
const THRESHOLD = 0.92

/** A larger group is rarely one person. */
const MANY = 10

interface Options {
  readonly by?: string
  readonly threshold: number
  readonly winner: WinnerRule
}

interface DuplicatesCommand {
  readonly resource: OpenResource
  readonly examples: readonly string[]
}

export function addDuplicates(parent: CommandUnknownOpts, act: Act, { resource, examples: lines }: DuplicatesCommand) {
  const { plural, duplicatesBy }: ResourceDefinition = RESOURCES[resource]
  const command = parent
    .command('duplicates')
    .description(`find ${plural} that are probably the same, and say why`)
    .option(
      '--by <keys>',
      `what they share (default: ${duplicatesBy}): a member, MEMBER= exactly, MEMBER~ nearly, A+B both`,
    )
    .addOption(
      new Option('--threshold <n>', 'the least similarity for ~, 0 to 1').argParser(parseThreshold).default(THRESHOLD),
    )
    .addOption(new Option('--winner <rule>', 'which one of a group to keep').choices(WINNERS).default('fullest'))
    .addHelpText('after', examples(...lines))
    .action(act((ctx, options) => findDuplicates(ctx, resource, options as Options)))
  addScopedFlags(command, ['fields', 'where', 'limit'])
}

function parseThreshold(text: string): number {
  const number = Number(text)
  if (!/^[01](\.\d+)?$/.test(text) || number > 1 || number === 0)
    throw new InvalidArgumentError('Expected a number above 0, at most 1, such as 0.92.')
  return number
}

async function findDuplicates(ctx: Context, resource: OpenResource, options: Options): Promise<undefined> {
  if (ctx.flags.output === 'id') {
    throw new CrmError('usage', 'a group of duplicates has no id of its own', {
      hint: `the ids of all: crm ${RESOURCES[resource].plural} duplicates -o jsonl --jq '.ids[]'`,
    })
  }
  const { parseMatchKeys } = await import('../../duplicates/match-key.ts')
  const { duplicatesBy = 'name' }: ResourceDefinition = RESOURCES[resource]
  const keys = parseMatchKeys(options.by ?? duplicatesBy)
  const groups = await groupsOf(ctx, resource, { ...options, keys })
  const sizes = new GroupSizes()
  const rows = shownGroups(groups, ctx.flags, sizes)
  await printDerived(ctx, { rows, columns: ['by', 'key', 'score', 'winner', 'ids'], plural: 'duplicates' })
  noteGroups(ctx, resource, sizes)
}

/** All groups are counted, also those beyond `--limit`. */
function* shownGroups(
  groups: Iterable<DuplicateGroup>,
  { limit = Number.POSITIVE_INFINITY, output }: Context['flags'],
  sizes: GroupSizes,
): Generator<CrmRecord> {
  for (const { ids, ...group } of groups) {
    sizes.add({ ids, by: group.by })
    if (sizes.groups <= limit) yield { ...group, ids: output === 'table' ? ids.join(' ') : [...ids] }
  }
}

class GroupSizes {
  groups = 0
  records = 0
  /** Groups that are rarely one person. */
  large = 0
  largest: { readonly size: number; readonly by: string } = { size: 0, by: '' }

  add({ ids: { length: size }, by }: Pick<DuplicateGroup, 'ids' | 'by'>): void {
    this.groups += 1
    this.records += size
    if (size > MANY) this.large += 1
    if (size > this.largest.size) this.largest = { size, by }
  }
}

async function groupsOf(
  ctx: Context,
  resource: OpenResource,
  { keys, threshold, winner }: Omit<Options, 'by'> & { readonly keys: readonly MatchKey[] },
): Promise<Iterable<DuplicateGroup>> {
  const api = await ctx.api()
  const { uses } = await ctx.expr()
  const members = keys.flatMap(({ parts }) => parts.map(({ member }) => ({ flag: '--by', path: [member] })))
  const check = allOf([createMemberCheck(ctx, resource, [...uses('none'), ...members])])
  const { DuplicateFinder } = await import('../../duplicates/find-duplicates.ts')
  const duplicates = new DuplicateFinder({ keys, threshold, winner })
  const list = { pages: api[RESOURCES[resource].plural].list(), ...listOf(resource) }
  for await (const { items } of await chosenPages(withoutLimit(ctx), list, check, false)) {
    for (const record of items) duplicates.add(record)
  }
  await check.judge()
  return duplicates.found()
}

/** `--limit` counts groups, and all records are read for them. */
function withoutLimit(ctx: Context): Context {
  return { ...ctx, flags: { ...ctx.flags, limit: undefined } }
}

function noteGroups(ctx: Context, resource: OpenResource, { groups, records, large, largest }: GroupSizes): void {
  if (groups === 0) return
  const shown = Math.min(groups, ctx.flags.limit ?? groups)
  const first = shown < groups ? `The first ${shown} of ` : ''
  ctx.note(`${first}${groups} ${groups === 1 ? 'group' : 'groups'}, ${records} ${RESOURCES[resource].plural}.`)
  if (large === 0) return
  const have = large === 1 ? '1 group has' : `${large} groups have`
  const { plural } = RESOURCES[resource]
  ctx.note(`${have} more than ${MANY} ${plural}, up to ${largest.size} by ${largest.by}: rarely one person.`)
}
