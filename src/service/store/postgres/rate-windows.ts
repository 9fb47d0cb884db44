import type { RequestCount } from '../store.ts'
import type { Session } from './database.ts'

/**
 * A key has one row for each length of window; a window that begins replaces the one before. A request that comes late, from
 * another process at the turn of the window, counts in the new one. Returns the count before.
 */
export async function countRequests(
  session: Session,
  { keyId, windowMs, window, count }: RequestCount,
): Promise<number> {
  const [taken = count] =
    (await session.get<[number]>(
      `INSERT INTO rate_windows (key_id, window_ms, number, taken) VALUES ($1, $2, $3, $4)
        ON CONFLICT (key_id, window_ms) DO UPDATE SET
          taken = excluded.taken
            + CASE WHEN rate_windows.number - excluded.number IN (0, 1) THEN rate_windows.taken ELSE 0 END,
          number = CASE rate_windows.number - excluded.number WHEN 1 THEN rate_windows.number ELSE excluded.number END
        RETURNING taken`,
      keyId,
      windowMs,
      window,
      count,
    )) ?? []
  return taken - count
}
