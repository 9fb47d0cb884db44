/** The unchanged targets of a Link header (RFC 8288) by relation in lower case; the first of several. */
export function readLinks(header: string | readonly string[] | undefined): ReadonlyMap<string, string> {
  const links = new Map<string, string>()
  if (!header) return links
  // Targets and quoted values may contain commas and semicolons.
  for (const [, target = '', parameters = ''] of String(header).matchAll(/<([^<>]*)>((?:[^,"<]|"[^"]*")*)/g)) {
    // Sentry links to a next page on every page, with results="false" on the last.
    const isEmpty = /;\s*results\s*=\s*"?false\b/i.test(parameters)
    const relations = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters)
    for (const name of (relations?.[1] ?? relations?.[2] ?? '').toLowerCase().split(/\s+/)) {
      if (name !== '' && !links.has(name) && !(isEmpty && name === 'next')) links.set(name, target)
    }
  }
  return links
}

/** Path and query of `target`, read relative to `base`; undefined if it is on another origin or invalid. */
export function addressOn(origin: string, target: string, base: string): string | undefined {
  const url = URL.parse(target, base)
  return url?.origin === origin && !url.username && !url.password ? url.pathname + url.search : undefined
}

/** Whether a Link header names a next page in a way that is not that of RFC 8288, but for one that is marked as empty. */
export function hasUnreadNext(header: string | readonly string[] | undefined): boolean {
  const outside = String(header ?? '').replaceAll(/<[^<>]*>/g, '')
  return /\brel\s*=[^,]*(?<![\w/-])next(?![\w/-])(?![^,]*results\s*=\s*"?false)/i.test(outside)
}
