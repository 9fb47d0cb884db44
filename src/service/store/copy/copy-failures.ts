import { isPostgresUri } from '../../../core/database-uri.ts'
import { CrmError } from '../../../core/errors.ts'
import { shellWord } from '../../../core/shell-words.ts'
import type { CopyOrigin } from './ends.ts'
import { type CopiedTable, keyText, type Row } from './tables.ts'

interface Named {
  readonly name: string
}

/** For what opens a database that is a copy before its end. */
export function unfinishedCopy(target: string, { location }: Pick<CopyOrigin, 'location'>): CrmError {
  return new CrmError('machine', `database ${target} is an unfinished copy of ${location}`, {
    hint: `finish it: ${copyCommand(location, target)}`,
  })
}

export function otherSource(target: Named, origin: CopyOrigin, source: Named): CrmError {
  return new CrmError('machine', `${target.name} is an unfinished copy of ${origin.location}, not of ${source.name}`, {
    hint: `finish it: ${copyCommand(origin.location, target.name)}; or ${removal(target.name)}`,
  })
}

export function changedSource(target: Named, source: Named): CrmError {
  return new CrmError('machine', `${source.name} was written to after the copy to ${target.name} was begun`, {
    hint: `${removal(target.name)}, then copy again`,
  })
}

export function differentRow(
  source: Named,
  target: Named,
  { table, key }: { readonly table: string; readonly key: string },
): CrmError {
  return new CrmError('machine', `${target.name} differs from ${source.name}: table ${table}, first at ${key}`, {
    hint: `${removal(target.name)}, then copy again`,
  })
}

/** A row that the target refuses. */
export function failedRow(
  target: Named,
  { table, row }: { readonly table: CopiedTable; readonly row: Row },
  cause: unknown,
): CrmError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new CrmError(
    'machine',
    `${target.name} refuses a row of ${table.name}, at or after ${keyText(table, row)}: ${why}`,
    {
      hint: 'correct this row in the source, then copy again',
      cause,
    },
  )
}

/** Its tables may be others. */
export function otherVersion(target: Named): CrmError {
  return new CrmError('machine', `the copy to ${target.name} was begun by another version of crm`, {
    hint: `${removal(target.name)}, then copy again`,
  })
}

/** Two copies to one target at the same time. */
export function overtaken(target: Named): CrmError {
  return new CrmError('machine', `another process copies to ${target.name}`, {
    hint: 'wait for its end; if none runs, it was the last batch of one that was killed: repeat the command',
    isRetryable: true,
  })
}

export function notEmpty(target: string): CrmError {
  return new CrmError('machine', `${target} is a database of crm already, expected an empty database`, {
    hint: `name another database with --to; a copy becomes a database of crm at its end, so that if this is one it is complete: crm serve --database ${shellWord(target)}`,
  })
}

/** `seen`: what shows it. */
export function inUse(source: string, seen: string): CrmError {
  return new CrmError('machine', `database ${source} is in use: ${seen}`, {
    hint: 'stop every crm serve on it, then copy again',
    isRetryable: true,
  })
}

function copyCommand(from: string, to: string): string {
  return `crm serve copy --from ${shellWord(from)} --to ${shellWord(to)}`
}

function removal(target: string): string {
  return isPostgresUri(target)
    ? 'drop that database and make an empty one'
    : `remove it: rm -f ${shellWord(target)} ${shellWord(`${target}-wal`)}`
}
