import type { Noun } from '../command-tree.ts'
import { addServeKeysAudit } from './keys-audit.ts'
import { addServeKeysCreate } from './keys-create.ts'
import { addServeKeysList } from './keys-list.ts'
import { addServeKeysRevoke } from './keys-revoke.ts'
import { addServeKeysRotate } from './keys-rotate.ts'

export const KEYS: Noun = {
  description: 'keys for a database of crm serve, running or not',
  commands: {
    create: addServeKeysCreate,
    list: addServeKeysList,
    revoke: addServeKeysRevoke,
    rotate: addServeKeysRotate,
    audit: addServeKeysAudit,
  },
}
