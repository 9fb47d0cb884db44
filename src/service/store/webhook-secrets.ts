import type { SecretRotation } from './store.ts'

/** Each signs every delivery, so their number is limited. */
const MAX_OLD_SECRETS = 5

interface OldSecret {
  readonly secret: string
  readonly until_ms: number
}

/** The current secret first, then old secrets that still sign. `oldSecrets` is JSON, as stored. */
export function liveSecrets(secret: string, oldSecrets: string, nowMs: number): readonly string[] {
  return [secret, ...liveOf(oldSecrets, nowMs).map((old) => old.secret)]
}

/** The old secrets to store, as JSON, when `secret` is replaced. */
export function rotatedSecrets(
  secret: string,
  oldSecrets: string,
  { oldUntilMs }: SecretRotation,
  nowMs: number,
): string {
  const old = [{ secret, until_ms: oldUntilMs }, ...liveOf(oldSecrets, nowMs)]
  return JSON.stringify(old.filter(({ until_ms }) => until_ms > nowMs).slice(0, MAX_OLD_SECRETS))
}

function liveOf(oldSecrets: string, nowMs: number): readonly OldSecret[] {
  return (JSON.parse(oldSecrets) as OldSecret[]).filter(({ until_ms }) => until_ms > nowMs)
}
