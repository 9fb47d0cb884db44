const MEANINGS: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '0': '\0', '\\': '\\' }

export interface Dialect {
  readonly delimiter: string
  /** Undefined if quotes are text. */
  readonly quote: string | undefined
  /** The line end; a carriage return may precede a line feed. */
  readonly newline: '\n' | '\r'
}

/** Syntax errors after which the rest of a delimited text cannot be read. */
export const DIALECT_FAULTS = {
  nul: {
    what: 'a NUL outside quotes, expected text',
    hint: 'the input may be damaged, or in another encoding: --encoding utf-16le',
  },
  dos_end: {
    what: 'the end-of-file mark of DOS (0x1A), expected the end of the file',
    hint: 'remove this last byte, for example with: head -c -1 FILE',
  },
  lone_return: {
    what: 'a carriage return in a cell without quotes, expected a line feed after it',
    hint: 'quote the cell, or use one kind of line end',
  },
  stray_quote: {
    what: 'a quote after blanks, expected it at the beginning of the cell',
    hint: 'remove the blanks; if quotes are plain text: --quote none',
  },
  after_quote: {
    what: 'text after the closing quote of a cell, expected a delimiter or the end of the line',
    hint: 'double the quotes inside the cell; if quotes are plain text: --quote none',
  },
  open_quote: {
    what: 'the quote that opens here is never closed',
    hint: 'close it, or double it; if quotes are plain text: --quote none',
  },
} as const satisfies Record<string, { readonly what: string; readonly hint: string }>

export type DialectFault = keyof typeof DIALECT_FAULTS

/** Reverses the escapes that `-o tsv` writes; undefined for an invalid one. */
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
