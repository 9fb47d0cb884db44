/** What the scanner found; names are without their prefix, texts are decoded. */
export interface XmlEvents {
  /** `attributes`: as written; see `attributeOf`. */
  open(name: string, attributes: string): void
  close?(name: string): void
  text?(text: string): void
}

/** XML that is no OOXML: damaged, or with parts that no spreadsheet program writes. */
export class XmlFault extends Error {}

/** A tag, a comment, a processing instruction or a CDATA section. Quoted values of attributes may contain `>`. */
const MARKUP =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)([^\s/>!?"'<]+)((?:[^<>"']|"[^<"]*"|'[^<']*')*)>/y

/** Longer than any cell: a spreadsheet program keeps 32,767 characters. Bounds the memory of a text or a tag. */
const LONGEST = 512 * 1024
/** The deepest element of a worksheet is at 8. */
const MOST_LEVELS = 64

/**
 * A scanner for the XML of OOXML, a chunk at a time. It has no document types, and so no entities but the five of XML; XmlFault
 * for those, and for text that is not well-formed.
 */
export function createXmlScanner(events: XmlEvents) {
  let rest = ''
  const path: string[] = []
  let isDone = false
  const close = (name: string): void => {
    if (path.pop() !== name) throw new XmlFault(`</${name}> without its beginning`)
    events.close?.(name)
    isDone = path.length === 0
  }
  const open = (name: string, attributes: string): void => {
    if (isDone) throw new XmlFault('a second root element')
    events.open(name, attributes)
    path.push(name)
    if (path.length > MOST_LEVELS) throw new XmlFault(`elements nested deeper than ${MOST_LEVELS}`)
    if (attributes.endsWith('/')) close(name)
  }
  const takeMarkup = ([, data, slash, written, attributes = '']: RegExpExecArray): void => {
    const name = written?.slice(written.indexOf(':') + 1)
    if (data !== undefined) events.text?.(data)
    else if (name !== undefined && slash !== '') close(name)
    else if (name !== undefined) open(name, attributes)
  }
  /** Returns where the unread rest begins: at a tag that is not whole, or at a text that may go on. */
  const takeAll = (all: string): number => {
    let at = 0
    for (let start = all.indexOf('<'); start >= 0; start = all.indexOf('<', at)) {
      MARKUP.lastIndex = start
      const found = MARKUP.exec(all)
      if (!found) {
        refuseDeclaration(all, start)
        break
      }
      if (start > at && path.length > 0) events.text?.(decodeEntities(all.slice(at, start)))
      takeMarkup(found)
      at = start + found[0].length
    }
    return at
  }
  return {
    push(chunk: string): void {
      const all = rest === '' ? chunk : rest + chunk
      rest = all.slice(takeAll(all))
      if (rest.length > LONGEST) throw new XmlFault(`a text or a tag longer than ${LONGEST} characters`)
    },
    end(): void {
      if (!isDone) throw new XmlFault('it ends in the middle')
    },
  }
}

function refuseDeclaration(all: string, start: number): void {
  if (/<!(?!-|\[|$)/y.test(all.slice(start, start + 3)))
    throw new XmlFault('a document type, which OOXML does not have')
}

const ATTRIBUTES = new Map<string, RegExp>()

/** The decoded value of an attribute, whatever its prefix. */
export function attributeOf(attributes: string, name: string): string | undefined {
  const pattern = ATTRIBUTES.get(name) ?? new RegExp(String.raw`\s(?:[\w.-]+:)?${name}\s*=\s*(?:"([^"]*)"|'([^']*)')`)
  ATTRIBUTES.set(name, pattern)
  const [, double, value = double] = pattern.exec(attributes) ?? []
  return value === undefined ? undefined : decodeEntities(value)
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#x([\da-fA-F]{1,6})|#(\d{1,7})|(\w{1,8}));?|&/g, (whole, hex, decimal, name) => {
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    const char = name === undefined ? charOf(code) : NAMED[name]
    if (char === undefined || !whole.endsWith(';')) throw new XmlFault(`the entity ${whole.slice(0, 12)}`)
    return char
  })
}

function charOf(code: number): string | undefined {
  const isChar = Number.isInteger(code) && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return isChar ? String.fromCodePoint(code) : undefined
}
