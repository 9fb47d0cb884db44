import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Act } from '../../context.ts'
import { addServeKeysAudit } from './keys-audit.ts'
import { addServeKeysCreate } from './keys-create.ts'
import { addServeKeysList } from './keys-list.ts'
import { addServeKeysRevoke } from './keys-revoke.ts'
import { addServeKeysRotate } from './keys-rotate.ts'

export function addServeKeys(serve: CommandUnknownOpts, act: Act): void {
  const keys = serve.command('keys').description('keys for a database of crm serve, running or not')
  addServeKeysCreate(keys, act)
  addServeKeysList(keys, act)
  addServeKeysRevoke(keys, act)
  addServeKeysRotate(keys, act)
  addServeKeysAudit(keys, act)
}
