import { type Command, InvalidArgumentError, Option } from 'commander'
import { CrmError } from '../../core/errors.ts'
import { matchHint, resourceOf } from '../../core/resources/registry.ts'
import type { ImportRequest } from '../../jobs/plan/make-import.ts'

type Mode = ImportRequest['match']['mode']

const MODES: readonly Mode[] = ['create', 'upsert', 'update']

export interface MatchFlags {
  readonly match?: string
  readonly mode?: Mode
}

/** `how`: of commands that change records, and of those that also make them. */
export function addMatchFlags(command: object, how: 'makes' | 'changes' = 'makes'): void {
  const options = [
    new Option(
      '--match <fields>',
      'a record with the same value in this field is changed; comma separated: in all of them',
    ),
    how === 'makes'
      ? new Option('--mode <how>', 'with --match: upsert (the default), or update, which makes none').choices(MODES)
      : new Option('--mode <how>', 'with --match: a row that matches none is left out')
          .choices(['update'])
          .argParser(parseMode),
  ]
  for (const option of options) (command as Command).addOption(option)
}

/** The modes that make records are refused with a better word than that they are not among the choices. */
function parseMode(text: string): string {
  if ((MODES as readonly string[]).includes(text)) return text
  throw new InvalidArgumentError('Expected update.')
}

/** An update or a deletion is about records that are there, whatever the rows say. */
export function refuseMaking(
  { mode }: MatchFlags,
  { noun, kind }: { readonly noun: ImportRequest['noun']; readonly kind: 'update' | 'delete' },
): void {
  if (mode === undefined || mode === 'update') return
  throw new CrmError('usage', `--mode ${mode} makes records, and ${kind} makes none`, {
    hint: `leave --mode out; crm ${noun} import creates those that do not exist`,
  })
}

export function matchRequest({ match, mode }: MatchFlags, noun: ImportRequest['noun']): ImportRequest['match'] {
  const names = (match ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
  if (names.length === 0 && mode !== undefined && mode !== 'create') {
    throw new CrmError('usage', `--mode ${mode} needs to know what to match by`, {
      hint: `--match ${matchHint(resourceOf(noun))} --mode ${mode}`,
    })
  }
  if (names.length > 0 && mode === 'create') {
    throw new CrmError('usage', '--mode create makes a record of every row, so there is nothing to match', {
      hint: 'leave one of --match and --mode out',
    })
  }
  return { names, mode: mode ?? (names.length > 0 ? 'upsert' : 'create') }
}
