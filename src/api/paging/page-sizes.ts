const ODD_SIZES: ReadonlySet<number> = new Set([12, 15, 16, 24, 32, 36, 48, 64, 128, 256, 512, 1024])

/** Whether servers give so many records at once: multiples of 10 and 25, powers of two, dozens. No page is known that holds fewer than ten at most. */
export function isPageSize(count: number): boolean {
  return count >= 10 && (count % 10 === 0 || count % 25 === 0 || ODD_SIZES.has(count))
}
