import { type CommandUnknownOpts, InvalidArgumentError } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { CrmError } from '../../core/errors.ts'
import type { RateLimit } from '../../service/rate-limit.ts'
import { examples } from '../command-tree.ts'
import { addScopedFlags, parsePositiveTime } from '../flags.ts'
import { printOne } from '../print.ts'
import { DATABASE_HELP, keyRecord, withDatabase } from './keys-database.ts'
import { parseKeyRate } from './serve-flags.ts'

/** The name is part of every line of the list and of the audit. */
const MAX_NAME_CHARS = 200

const SCOPES = ['read', 'write'] as const

interface Options {
  readonly database?: string
  readonly name: string
  readonly scopes: readonly (typeof SCOPES)[number][]
  readonly expiresIn?: number
  readonly rate?: RateLimit | 'none'
}

export function addServeKeysCreate(keys: CommandUnknownOpts, act: Act): void {
  const create = keys
    .command('create')
    .description('make a key; it is shown only once')
    .option('--database <file>', DATABASE_HELP)
    .option('--name <name>', 'what it is for', parseName, 'unnamed')
    .option('--scopes <list>', 'read, write, or both', parseScopes, SCOPES)
    .option('--expires-in <time>', 'end it after this time, such as 30d', parsePositiveTime)
    .option(
      '--rate <n/time>',
      'requests it may send, or none for no limit (default: that of the service)',
      parseKeyRate,
    )
    .addHelpText(
      'after',
      examples(
        'crm serve keys create --name reports --scopes read --expires-in 90d',
        'crm serve keys create --name partner --rate 10000/10s',
      ),
    )
    .action(act(createServiceKey))
  addScopedFlags(create, ['fields'])
}

async function createServiceKey(ctx: Context, options: Options): Promise<undefined> {
  const { createKey } = await import('../../service/keys.ts')
  const { name, scopes, expiresIn, rate } = options
  const nowMs = ctx.now()
  const expiresAtMs = expiresIn === undefined ? undefined : nowMs + expiresIn
  const { key, text } = await withDatabase(ctx, options.database, (store) =>
    createKey(store, { name, scopes, expiresAtMs, rate }, nowMs),
  )
  await printOne(ctx, { ...keyRecord(key, nowMs), key: text })
  ctx.note('Keep the key: it is not shown again.')
}

function parseName(text: string): string {
  if (text.trim() !== '' && text.length <= MAX_NAME_CHARS) return text
  throw new InvalidArgumentError(`Expected a name of 1 to ${MAX_NAME_CHARS} characters.`)
}

function parseScopes(text: string): Options['scopes'] {
  const scopes = text.split(',').map((word) => SCOPES.find((scope) => scope === word.trim()))
  const known = scopes.filter((scope) => scope !== undefined)
  if (known.length === scopes.length) return [...new Set(known)]
  throw new CrmError('usage', `--scopes ${JSON.stringify(text)} names a scope that does not exist`, {
    hint: `expected one or more of: ${SCOPES.join(', ')}`,
  })
}
