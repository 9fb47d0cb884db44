import { decodeId } from '../../../core/ids.ts'
import type { SecretRotation } from '../store.ts'
import type { Connection } from './connection.ts'

/** Each signs every delivery, so their number is limited. */
const MAX_OLD_SECRETS = 5

interface OldSecret {
  readonly secret: string
  readonly until_ms: number
}

/** The current secret first, then old secrets that still sign. */
export function liveSecrets(secret: string, oldSecrets: string, nowMs: number): readonly string[] {
  return [secret, ...liveOf(oldSecrets, nowMs).map((old) => old.secret)]
}

export function rotateSecret(db: Connection, id: string, { secret, oldUntilMs }: SecretRotation, nowMs: number): void {
  const serial = decodeId('webhook', id) ?? null
  const row = db.get<readonly [string, string]>('SELECT secret, old_secrets FROM webhooks WHERE id = ?', serial)
  if (!row) return
  const old = [{ secret: row[0], until_ms: oldUntilMs }, ...liveOf(row[1], nowMs)]
  const kept = old.filter(({ until_ms }) => until_ms > nowMs).slice(0, MAX_OLD_SECRETS)
  db.run('UPDATE webhooks SET secret = ?, old_secrets = ? WHERE id = ?', secret, JSON.stringify(kept), serial)
}

function liveOf(oldSecrets: string, nowMs: number): readonly OldSecret[] {
  return (JSON.parse(oldSecrets) as OldSecret[]).filter(({ until_ms }) => until_ms > nowMs)
}
