import type { Client } from 'pg'
import type { PostgresDatabase } from './database.ts'
import { databaseFailure } from './failure.ts'

/** Between two attempts to connect again. */
const RETRY_MS = 1000

export interface Notifications {
  close(): Promise<void>
}

/**
 * Hears what other processes notify, over a connection of its own. While it is lost nothing is heard: senders then find
 * deliveries when they look once a second, and cached keys end by themselves. `sender` is the payload.
 */
export async function listenTo(
  database: PostgresDatabase,
  channels: readonly string[],
  hear: (channel: string, sender: string) => void,
): Promise<Notifications> {
  let client: Client | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  const again = (): void => {
    client = undefined
    if (isClosed) return
    timer = setTimeout(() => void connect().catch(again), RETRY_MS)
  }
  const connect = async (): Promise<void> => {
    const made = await database.connect()
    if (isClosed) return made.end()
    client = made
    made.on('notification', ({ channel, payload = '' }) => hear(channel, payload))
    try {
      for (const channel of channels) await made.query(`LISTEN ${channel}`)
    } catch (error) {
      // On a standby, or where the connection is lost meanwhile.
      await made.end()
      throw databaseFailure(database.name, error)
    }
    made.on('end', again)
    // What was notified while the connection was lost.
    for (const channel of channels) hear(channel, '')
  }
  await connect()
  return {
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await client?.end()
    },
  }
}
