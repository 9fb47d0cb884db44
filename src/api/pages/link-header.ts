/** The targets of a Link header (RFC 8288), as they stand there, by relation in lower case; of several the first. */
export function readLinks(header: string | readonly string[] | undefined): ReadonlyMap<string, string> {
  const links = new Map<string, string>()
  if (!header) return links
  // A target may hold commas and semicolons, and so may a quoted value.
  for (const [, target = '', parameters = ''] of String(header).matchAll(/<([^<>]*)>((?:[^,"<]|"[^"]*")*)/g)) {
    const relations = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters)
    for (const name of (relations?.[1] ?? relations?.[2] ?? '').toLowerCase().split(/\s+/)) {
      if (name !== '' && !links.has(name)) links.set(name, target)
    }
  }
  return links
}
