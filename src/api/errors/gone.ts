/** The record does not exist; 410: not any more (RFC 9110, 15.5.11). */
export function isGoneStatus(status: number | undefined): boolean {
  return status === 404 || status === 410
}
