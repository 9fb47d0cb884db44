import type { RequestCount } from '../store.ts'
import type { Session } from './database.ts'

/** A key has one row for each length of window; a window that begins replaces the one before. Returns the count before. */
export async function countRequests(
  session: Session,
  { keyId, windowMs, window, count }: RequestCount,
): Promise<number> {
  const [taken = count] =
    (await session.get<[number]>(
      `INSERT INTO rate_windows (key_id, window_ms, number, taken) VALUES ($1, $2, $3, $4)
        ON CONFLICT (key_id, window_ms) DO UPDATE SET
          taken = CASE WHEN rate_windows.number = excluded.number THEN rate_windows.taken ELSE 0 END + excluded.taken,
          number = excluded.number
        RETURNING taken`,
      keyId,
      windowMs,
      window,
      count,
    )) ?? []
  return taken - count
}
