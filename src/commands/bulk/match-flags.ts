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

/** `how`: for commands that only change records, and for those that also create them. */
export function addMatchFlags(command: object, how: 'makes' | 'changes' = 'makes'): void {
  const options = [
    new Option(
      '--match <fields>',
      'a record with the same value in this field is changed; comma separated: in all of them',
    ),
    how === 'makes'
      ? new Option('--mode <how>', 'with --match: upsert (the default), or update, which creates none').choices(MODES)
      : new Option('--mode <how>', 'with --match: a row that matches none is left out')
          .choices(['update'])
          .argParser(parseMode),
  ]
  for (const option of options) (command as Command).addOption(option)
}

/** Accepts modes that create records, so that they can be refused with a specific message later. */
function parseMode(text: string): string {
  if ((MODES as readonly string[]).includes(text)) return text
  throw new InvalidArgumentError('Expected update.')
}

/** Refuses modes that create records: an update or a deletion applies to existing records only. */
export function rejectCreateMode(
  { mode }: MatchFlags,
  { noun, kind }: { readonly noun: ImportRequest['noun']; readonly kind: 'update' | 'delete' },
): void {
  if (mode === undefined || mode === 'update') return
  throw new CrmError('usage', `--mode ${mode} creates records, and ${kind} does not`, {
    hint: `leave --mode out; crm ${noun} import creates those that do not exist`,
  })
}

export function matchRequest({ match, mode }: MatchFlags, noun: ImportRequest['noun']): ImportRequest['match'] {
  const names = (match ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
  if (names.length === 0 && mode !== undefined && mode !== 'create') {
    throw new CrmError('usage', `--mode ${mode} needs --match`, {
      hint: `--match ${matchHint(resourceOf(noun))} --mode ${mode}`,
    })
  }
  if (names.length > 0 && mode === 'create') {
    throw new CrmError('usage', '--mode create creates a record for every row, so --match does not apply', {
      hint: 'leave one of --match and --mode out',
    })
  }
  return { names, mode: mode ?? (names.length > 0 ? 'upsert' : 'create') }
}
