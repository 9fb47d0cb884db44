import { CrmError } from '../../core/errors.ts'

export type KeyringTask =
  | { readonly task: 'read' | 'remove'; readonly account: string }
  | { readonly task: 'write'; readonly account: string; readonly secret: string }

export function noKeyring(reason: string, cause?: unknown): CrmError {
  return new CrmError('machine', `the system keyring cannot be used: ${reason}`, {
    cause,
    hint: 'unlock it, or keep the key in a file: crm auth login --storage file',
  })
}
