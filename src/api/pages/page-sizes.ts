const ODD_SIZES: ReadonlySet<number> = new Set([12, 15, 16, 24, 32, 36, 48, 64, 128, 256, 512, 1024])

/** Whether this is a usual page size: a multiple of 10 or 25, a power of two, or dozens. No server is known with a maximum below ten. */
export function isPageSize(count: number): boolean {
  return count >= 10 && (count % 10 === 0 || count % 25 === 0 || ODD_SIZES.has(count))
}
