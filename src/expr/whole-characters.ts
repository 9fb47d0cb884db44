/** An escape of JSON: a surrogate pair, then one half of a pair, then any other. */
const ESCAPE = /\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|(u[dD][89a-fA-F]\w\w)|.)/gs

/**
 * JSON in which U+FFFD stands for each half of a surrogate pair. A foreign server may send one; it is JSON by RFC 8259
 * section 8.2 and no character, and jq refuses all of the text that it is in.
 */
export function wholeCharacters(json: string): string {
  if (!/\\u[dD]/.test(json)) return json
  return json.replace(ESCAPE, (whole, half: string | undefined) => (half === undefined ? whole : '\\ufffd'))
}
