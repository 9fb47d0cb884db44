import { ask, type Reply } from '../ask.ts'
import { type HubSpotOptions, startHubSpot } from '../hubspot.ts'

export type Ask = (line: string, json?: unknown) => Promise<Reply>

export async function withHubSpot(
  options: HubSpotOptions,
  use: (ask: Ask, emulator: Awaited<ReturnType<typeof startHubSpot>>) => Promise<void>,
): Promise<void> {
  await using emulator = await startHubSpot(options)
  const headers = { authorization: `Bearer ${emulator.key}` }
  await use((line, json) => ask(emulator.url, line, { json, headers }), emulator)
}
