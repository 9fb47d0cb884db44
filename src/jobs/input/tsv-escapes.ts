const MEANINGS: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '0': '\0', '\\': '\\' }

/** What our tsv writes for what a line cannot hold; undefined for a backslash that means nothing. */
export function unescapeTsv(text: string): string | undefined {
  if (!text.includes('\\')) return text
  let isValid = true
  const plain = text.replace(/\\(.?)/gs, (_, char: string) => {
    const meaning = MEANINGS[char]
    if (meaning === undefined) isValid = false
    return meaning ?? ''
  })
  return isValid ? plain : undefined
}
