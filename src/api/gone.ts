/** What was asked for is not there; 410 says that it was once (RFC 9110, 15.5.11). */
export function isGoneStatus(status: number | undefined): boolean {
  return status === 404 || status === 410
}
