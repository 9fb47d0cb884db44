const MEANINGS: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '0': '\0', '\\': '\\' }

export interface Dialect {
  readonly delimiter: string
  /** Undefined when quotes are text. */
  readonly quote: string | undefined
  /** What ends a line; before a line feed a carriage return may stand. */
  readonly newline: '\n' | '\r'
}

/** What breaks the rules of delimited text, so that what follows cannot be known. */
export const DIALECT_FAULTS = {
  nul: {
    what: 'a NUL outside quotes, expected text',
    hint: 'the input may be damaged, or in another encoding: --encoding utf-16le',
  },
  lone_return: {
    what: 'a carriage return in a cell without quotes, expected a line feed behind it',
    hint: 'put the cell in quotes, or end all lines alike',
  },
  stray_quote: {
    what: 'a quote behind blanks, expected it at the very beginning of the cell',
    hint: 'take the blanks away; where quotes are nothing but text: --quote none',
  },
  after_quote: {
    what: 'text behind the closing quote of a cell, expected a delimiter or the end of the line',
    hint: 'double the quotes inside the cell; where quotes are nothing but text: --quote none',
  },
  open_quote: {
    what: 'the quote that opens here is never closed',
    hint: 'close it, or double it; where quotes are nothing but text: --quote none',
  },
} as const satisfies Record<string, { readonly what: string; readonly hint: string }>

export type DialectFault = keyof typeof DIALECT_FAULTS

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
