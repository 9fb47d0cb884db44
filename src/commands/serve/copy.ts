import { dirname } from 'node:path'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { isPostgresUri } from '../../core/database-uri.ts'
import { CrmError } from '../../core/errors.ts'
import { shellWord } from '../../core/shell-words.ts'
import { createJobProgress } from '../../output/progress.ts'
import type { CopyProgress } from '../../service/store/copy.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags } from '../flags.ts'
import { onePage, printList } from '../print.ts'
import { type ChosenDatabase, chooseDatabase, isNewFile } from './database.ts'
import { defineObjectsOf } from './own-objects.ts'

interface Options {
  readonly from?: string
  readonly to?: string
}

const COLUMNS = ['table', 'rows', 'sha256']

export function addServeCopy(serve: CommandUnknownOpts, act: Act): void {
  const copy = serve
    .command('copy')
    .summary('move an account from SQLite to PostgreSQL, or back')
    .description('copy all that a database holds from SQLite to PostgreSQL, or back, and compare it')
    .option('--from <database>', 'an SQLite file or postgres://..., which no service uses (default: CRM_DATABASE_URL)')
    .option('--to <database>', 'an empty database, or one in which a copy has stopped (default: CRM_DATABASE_URL)')
    .addHelpText(
      'after',
      `${examples('crm serve copy --from crm.db --to postgres://crm@db.example/crm', 'crm serve copy --from postgres://crm@db.example/crm --to crm.db')}\n\nA copy that was stopped or killed leaves nothing but a mark: the same command begins again, and crm serve refuses the target until then.`,
    )
    .action(act(copyDatabase))
  addScopedFlags(copy, ['fields', 'progress'])
}

async function copyDatabase(ctx: Context, options: Options): Promise<undefined> {
  const [from, to] = chooseEnds(ctx, options)
  if (isNewFile(from.location)) {
    throw new CrmError('machine', `there is no database ${from.location}`, {
      hint: `name another with --from; to list the files there: ls ${shellWord(dirname(from.location))}`,
    })
  }
  await defineObjectsOf(ctx, from.address)
  const { copyStore } = await import('../../service/store/open-store.ts')
  const progress = showProgress(ctx)
  let tables: Awaited<ReturnType<typeof copyStore>>
  try {
    tables = await copyStore({
      from: from.address,
      to: to.address,
      location: from.location,
      env: ctx.env,
      signal: ctx.signal,
      onProgress: progress.update,
    })
  } finally {
    progress.end()
  }
  await printList(ctx, { pages: onePage(tables.map((table) => ({ ...table }))), columns: COLUMNS, plural: 'tables' })
  // CRM_DATABASE_URL has the password, which a flag must not have.
  const flag = options.to === undefined ? '' : ` --database ${shellWord(to.location)}`
  ctx.note(`${to.location} holds all of ${from.location}. To use it: crm serve${flag}`)
}

/** CRM_DATABASE_URL, where a password may stand, is the end that is not named. */
function chooseEnds(ctx: Pick<Context, 'env'>, { from, to }: Options): readonly [ChosenDatabase, ChosenDatabase] {
  if ((from === undefined && to === undefined) || (!(from && to) && !ctx.env.CRM_DATABASE_URL)) {
    throw new CrmError('usage', 'a copy needs a source and a target', {
      hint: 'crm serve copy --from crm.db --to postgres://crm@db.example/crm; one of them may be in CRM_DATABASE_URL',
    })
  }
  const ends = [chooseDatabase(ctx.env, from, '--from'), chooseDatabase(ctx.env, to, '--to')] as const
  const inMemory = ends.find(({ location }) => location === ':memory:')
  if (inMemory) {
    throw new CrmError('usage', 'a database in memory ends with its process', { hint: 'name a file' })
  }
  const [isFromPostgres, isToPostgres] = ends.map(({ location }) => isPostgresUri(location))
  if (isFromPostgres !== isToPostgres) return ends
  throw isFromPostgres
    ? new CrmError('usage', 'both databases are of PostgreSQL, which has tools of its own for this', {
        hint: 'pg_dump --format=custom --file=crm.dump, then pg_restore --single-transaction --no-owner --dbname=DATABASE crm.dump',
      })
    : new CrmError('usage', 'both databases are SQLite files, which a backup copies', {
        hint: `crm serve backup ${shellWord(ends[1].location)} --database ${shellWord(ends[0].location)}`,
      })
}

/** One line for the rows that are copied, then one for those that are compared. */
function showProgress(ctx: Pick<Context, 'io' | 'flags' | 'now' | 'note'>) {
  const flag = ctx.flags.isQuiet ? 'none' : ctx.flags.progress
  const open = () => createJobProgress({ stderr: ctx.io.stderr, flag, now: ctx.now })
  let last: CopyProgress | undefined
  let line = open()
  const end = (): void => {
    if (last) line.end({ ...last, failed: 0 })
  }
  return {
    update: (progress: CopyProgress): void => {
      if (last && last.phase !== progress.phase) {
        end()
        line = open()
      }
      if (last?.phase !== progress.phase && progress.phase === 'compared')
        ctx.note(`All rows are copied; making indexes, then comparing ${progress.total} rows.`)
      last = progress
      line.update({ ...progress, failed: 0 })
    },
    end,
  }
}
