import { timeOfSerial } from '../../core/ids.ts'
import { ORDER_KEPT_MS } from './deliveries.ts'

/** When an event may overtake those of its record that fail. Event times never step back, so they may be ahead of a corrected clock. */
export function overtakeTimeMs(eventSerial: number, sinceMs: number, nowMs: number): number {
  return Math.min(nowMs, Math.max(timeOfSerial(eventSerial), sinceMs)) + ORDER_KEPT_MS
}
