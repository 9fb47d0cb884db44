/** It has not the shape of a key of ours, and characters that JSON, URLs and HTML escape. */
export const MARK = 'Mark/ed0Key+That0Is&Nowhere0Else=b7Kx"29<'
const each = (text: string, write: (char: string, code: number) => string) =>
  [...text].map((char) => write(char, char.charCodeAt(0))).join('')
const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0')

export const NOTATIONS: Readonly<Record<string, string>> = {
  unescaped: MARK,
  'in JSON': JSON.stringify(MARK).slice(1, -1),
  'in JSON of PHP': JSON.stringify(MARK).slice(1, -1).replaceAll('/', '\\/'),
  'in JSON of .NET': each(MARK, (char, code) => (/[&+"<]/.test(char) ? `\\u${hex(code, 4).toUpperCase()}` : char)),
  'in JSON, escaped throughout': each(MARK, (_, code) => `\\u${hex(code, 4)}`),
  'in JSON within JSON': JSON.stringify(JSON.stringify(MARK)),
  'in a URL': encodeURIComponent(MARK),
  'in a URL, in small letters': encodeURIComponent(MARK).replaceAll(/%../g, (found) => found.toLowerCase()),
  'in HTML': MARK.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&#34;'),
  'in HTML, escaped throughout': each(MARK, (_, code) => `&#x${hex(code, 2)};`),
  'in small letters': MARK.toLowerCase(),
  'in base64': Buffer.from(MARK).toString('base64'),
  'as a password of Basic': `Basic ${Buffer.from(`user:${MARK}`).toString('base64')}`,
  'as a user of Basic': `Basic ${Buffer.from(`${MARK}:`).toString('base64')}`,
  'in base64 of URLs': Buffer.from(`x${MARK}`).toString('base64url'),
  'in hexadecimal': Buffer.from(MARK).toString('hex'),
  'broken over lines': MARK.replaceAll(/.{7}/g, '$&\r\n  '),
  'with hidden characters': each(MARK, (char) => `${char}\u200b`),
  'with hidden characters in JSON': each(MARK, (char) => `${char}\\u00ad`),
  'with control characters': each(MARK, (char) => `\u0007${char}`),
  'with tags': each(MARK, (char) => `${char}<wbr>`),
}

/** What of the mark can be read, eight characters in a row. */
export function partsIn(text: string): readonly string[] {
  const parts = Array.from({ length: MARK.length - 7 }, (_, at) => MARK.slice(at, at + 8))
  return parts.filter((part) => text.includes(part))
}
