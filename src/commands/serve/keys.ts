import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act, Context } from '../../context.ts'
import { type CommandGroup, examples } from '../command-tree.ts'
import { addScopedFlags, parseTime } from '../flags.ts'
import { onePage, printList, printOne } from '../print.ts'
import { addServeKeysAudit } from './keys-audit.ts'
import { addServeKeysCreate } from './keys-create.ts'
import {
  DATABASE_HELP,
  type DatabaseOptions,
  keyRecord,
  listKeysCommand,
  PRINTED_KEY_COLUMNS,
  withDatabase,
} from './keys-database.ts'

export const KEYS_COMMANDS: CommandGroup = {
  description: 'keys for a database of crm serve, running or not',
  commands: {
    create: addServeKeysCreate,
    list: addServeKeysList,
    revoke: addServeKeysRevoke,
    rotate: addServeKeysRotate,
    audit: addServeKeysAudit,
  },
}

function addServeKeysList(keys: CommandUnknownOpts, act: Act): void {
  const list = keys
    .command('list')
    .description('list the keys, including ended ones')
    .option('--database <file>', DATABASE_HELP)
    .addHelpText('after', examples('crm serve keys list', 'crm serve keys list --where \'.state == "live"\' -o id'))
    .action(act(listServiceKeys))
  addScopedFlags(list, ['fields', 'where'])
}

async function listServiceKeys(ctx: Context, options: DatabaseOptions): Promise<undefined> {
  const keys = await withDatabase(ctx, options.database, (store) => store.keys(), 'read')
  const rows = keys.map((key) => keyRecord(key, ctx.now()))
  await printList(ctx, { pages: onePage(rows), columns: PRINTED_KEY_COLUMNS, plural: 'keys' })
}

function addServeKeysRevoke(keys: CommandUnknownOpts, act: Act): void {
  keys
    .command('revoke <key-id>')
    .description('end a key at once')
    .option('--database <file>', DATABASE_HELP)
    .addHelpText('after', examples('crm serve keys revoke key_0abc'))
    .action(act(revokeServiceKey))
}

async function revokeServiceKey(ctx: Context, id: string, options: DatabaseOptions): Promise<undefined> {
  const { revokeKey } = await import('../../service/keys.ts')
  const hint = listKeysCommand(options.database)
  await withDatabase(ctx, options.database, (store) => revokeKey(store, id, { nowMs: ctx.now(), hint }))
  ctx.note(`Key ${id} is revoked: requests with it are refused from now on.`)
}

interface RotateOptions extends DatabaseOptions {
  readonly overlap: number
}

function addServeKeysRotate(keys: CommandUnknownOpts, act: Act): void {
  const rotate = keys
    .command('rotate <key-id>')
    .description('replace a key by a new one with the same scopes; it is shown only once')
    .option('--database <file>', DATABASE_HELP)
    .option('--overlap <time>', 'keep the old key valid for this time', parseTime, 0)
    .addHelpText('after', examples('crm serve keys rotate key_0abc --overlap 1h'))
    .action(act(rotateServiceKey))
  addScopedFlags(rotate, ['fields'])
}

async function rotateServiceKey(ctx: Context, id: string, options: RotateOptions): Promise<undefined> {
  const { rotateKey } = await import('../../service/keys.ts')
  const nowMs = ctx.now()
  const { key, text } = await withDatabase(ctx, options.database, (store) =>
    rotateKey(store, id, { overlapMs: options.overlap, nowMs, hint: listKeysCommand(options.database) }),
  )
  await printOne(ctx, { ...keyRecord(key, nowMs), key: text })
  ctx.note('Keep the key: it is not shown again.')
}
