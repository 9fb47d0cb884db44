/**
 * A UUID of version 7 (RFC 9562 section 5.7). As an idempotency key it is stored beside the keys of the same time: random keys
 * change a page of the server's index each.
 */
export function timeOrderedUuid(nowMs: number = Date.now()): string {
  const time = Math.floor(nowMs).toString(16).padStart(12, '0')
  // The global loads node:crypto on first use, so that reads do not load it.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`
}
