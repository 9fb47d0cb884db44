import { readdirSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { InvalidArgumentError } from 'commander'
import type { Act, Context } from '../../context.ts'
import { isPostgresUri } from '../../core/database-uri.ts'
import { CrmError } from '../../core/errors.ts'
import { shellWord } from '../../core/shell-words.ts'
import { writeText } from '../../core/streams.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags, parseTime } from '../flags.ts'
import { printOne } from '../print.ts'
import { chooseDatabase, chooseFile } from './database.ts'
import { type DatabaseOptions, FILE_HELP } from './keys-database.ts'

interface Options extends DatabaseOptions {
  readonly every?: number
  readonly keep?: number
}

const MOST_INTERVAL_MS = 24 * 86_400_000

export function addServeBackup(serve: CommandUnknownOpts, act: Act): void {
  const backup = serve
    .command('backup <file>')
    .summary('make a consistent copy of the database, even while a service uses it')
    .description('make a consistent copy of the database, even while a service uses it; - writes it to stdout')
    .option('--database <file>', FILE_HELP)
    .option('--every <time>', 'make one again and again in this folder, until Ctrl-C', parseInterval)
    .option('--keep <n>', 'with --every: keep so many, and remove older ones', parseCount)
    .addHelpText(
      'after',
      `${examples('crm serve backup crm-2026-11-20.db', 'crm serve restore crm-2026-11-20.db --database crm.db', 'crm serve backup - | gzip > crm.db.gz', 'crm serve backup backups --every 1h --keep 24')}\n\nThe copy is a database like any other, and as private: it holds the secrets of webhooks.`,
    )
    .action(act(backUp))
  addScopedFlags(backup, ['fields'])
}

/** Copies are named by the second; Node fires a timer of more than 2^31 ms at once. */
function parseInterval(text: string): number {
  const timeMs = parseTime(text)
  if (timeMs >= 1000 && timeMs <= MOST_INTERVAL_MS) return timeMs
  throw new InvalidArgumentError('Expected a time from 1s to 24d.')
}

function parseCount(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Expected a number from 1 to 999999.')
}

async function backUp(ctx: Context, file: string, options: Options): Promise<number | undefined> {
  if (options.database === ':memory:') {
    throw new CrmError('usage', 'a database in memory is accessible to its own process only', {
      hint: 'give --database FILE',
    })
  }
  const { address, location } = chooseDatabase(ctx.env, options.database)
  if (isPostgresUri(location)) {
    const { checkCopied } = await import('../../service/store/open-store.ts')
    await checkCopied(address, ctx.env)
  }
  const database = chooseFile(ctx.env, options.database, 'pg_dump --format=custom --file=crm.dump ')
  if (options.keep !== undefined && options.every === undefined)
    throw new CrmError('usage', '--keep needs --every', { hint: 'add --every 1h' })
  if (options.every !== undefined && file === '-')
    throw new CrmError('usage', '--every needs a folder, got - for stdout', {
      hint: 'crm serve backup backups --every 1h',
    })
  if (options.every !== undefined)
    return backUpEvery(ctx, { folder: resolve(file), database, everyMs: options.every, keep: options.keep })
  if (file === '-') await backUpToStdout(ctx, database)
  else await printOne(ctx, await copy(ctx, database, resolve(file)))
  return undefined
}

async function copy(ctx: Context, database: string, file: string) {
  const { backUpStore } = await import('../../service/store/open-store.ts')
  const startedAtMs = ctx.now()
  const { sizeBytes } = await backUpStore(database, file)
  return { file, database, size_bytes: sizeBytes, started_at: new Date(startedAtMs).toISOString() }
}

async function backUpToStdout(ctx: Context, database: string): Promise<void> {
  const { stdout } = ctx.io
  if (stdout.isTTY)
    throw new CrmError('usage', 'a database cannot be shown on a terminal', { hint: 'crm serve backup - > crm.db' })
  ctx.keepExitCode?.()
  const { backUpBytes } = await import('../../service/store/open-store.ts')
  for await (const bytes of backUpBytes(database)) {
    await writeText(stdout, bytes)
    // Less than the whole copy is none.
    if ((await ctx.isStdoutRead?.()) === false)
      throw new CrmError('machine', 'the reader of the copy is gone before its end', { hint: 'crm serve backup FILE' })
  }
}

interface Rotation {
  readonly folder: string
  readonly database: string
  readonly everyMs: number
  readonly keep: number | undefined
}

const COPY = /^crm-\d{8}T\d{6}Z\.db$/

/** A copy before its end, or what a process that was killed has left of it. */
const UNFINISHED = /^\.crm-\d{8}T\d{6}Z\.db\.[\da-f-]{36}(?:-\w+)?$/

const UNFINISHED_KEPT_MS = 86_400_000

/** Until the signal; 3 if a copy could not be made. */
async function backUpEvery(ctx: Context, { folder, database, everyMs, keep }: Rotation): Promise<number> {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new CrmError('machine', `${folder} is not a folder`, { hint: `mkdir -p ${shellWord(folder)}` })
  let hasFailed = false
  while (!ctx.signal.aborted) {
    const name = `crm-${new Date(ctx.now()).toISOString().replace(/[-:]|\.\d+/g, '')}.db`
    try {
      const { size_bytes } = await copy(ctx, database, join(folder, name))
      ctx.note(`Made ${join(folder, name)} (${size_bytes} bytes).`)
      if (keep !== undefined) removeOldest(ctx, folder, keep)
    } catch (error) {
      if (!(error instanceof CrmError)) throw error
      hasFailed = true
      ctx.note(`Warning: no copy was made: ${error.message}`)
    }
    await delay(everyMs, undefined, { signal: ctx.signal }).catch(() => {})
  }
  return hasFailed ? 3 : 0
}

/** Names are times, so that their order is that of the copies. Other files stay. */
function removeOldest(ctx: Pick<Context, 'note' | 'now'>, folder: string, keep: number): void {
  const names = readdirSync(folder)
  const oldest = names
    .filter((name) => COPY.test(name))
    .sort()
    .slice(0, -keep)
  const unfinished = names.filter(
    (name) => UNFINISHED.test(name) && ageMs(ctx, join(folder, name)) > UNFINISHED_KEPT_MS,
  )
  for (const name of [...oldest, ...unfinished]) {
    rmSync(join(folder, name))
    ctx.note(`Removed ${name}.`)
  }
}

function ageMs({ now }: Pick<Context, 'now'>, file: string): number {
  return now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now())
}
