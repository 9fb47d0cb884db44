/** The characters from U+00A0 on, which have names in HTML. */
const LATIN_NAMES = `nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr
deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest
Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml
ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig
agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml
eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml`.split(/\s/)

const OTHER_NAMES: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", hellip: '…', ndash: '–', mdash: '—' },
  ...{ lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', bull: '•', euro: '€', trade: '™' },
}

function characterNamed(name: string): string | undefined {
  const at = LATIN_NAMES.indexOf(name)
  if (at !== -1) return String.fromCodePoint(0xa0 + at)
  return Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : undefined
}

/** Unknown entities are left unchanged. */
export function withoutEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]\w{1,7}));/gi, (entity, decimal, hex, name) => {
    if (name !== undefined) return characterNamed(name) ?? entity
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
    return isCharacter ? String.fromCodePoint(code) : entity
  })
}

/** A text as HTML: `textOf` returns it, with its ends of lines as `\n`. */
export function htmlOf(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/\r\n?|\n/g, '<br>')
}

const TAG = /^(\/?)([a-z][a-z\d]*)(?=[\s/>])[^>]*>/i

/** They begin a line and end it. */
const BLOCK =
  /^(?:address|article|blockquote|div|dd|dl|dt|footer|h[1-6]|header|hr|li|ol|p|pre|section|table|tbody|thead|tr|ul)$/i

const HIDDEN = /^(?:script|style)$/i
const HIDDEN_END = /^\/(?:script|style)\s*>/i

/** The text of HTML: formats are left out, and blocks and `<br>` end lines. */
export function textOfHtml(html: string): string {
  if (!/[<&]/.test(html)) return html
  const [start = '', ...pieces] = html.split('<')
  const lines = new Lines()
  lines.add(start)
  for (const piece of pieces) lines.take(piece)
  return lines.text
}

class Lines {
  text = ''
  /** A block begins or ended: what follows is on a line of its own. */
  #isEnded = false
  #isAfterBreak = false
  /** The end of a comment or a script, which is not shown. */
  #hiddenUntil: RegExp | undefined

  /** What follows a `<`, up to the next one. */
  take(piece: string): void {
    if (piece.startsWith('!--')) this.#hiddenUntil ??= /-->/
    if (this.#hiddenUntil) this.#takeHidden(piece, this.#hiddenUntil)
    else this.#takeTag(piece)
  }

  #takeHidden(piece: string, until: RegExp): void {
    const end = until.exec(piece)
    if (!end) return
    this.#hiddenUntil = undefined
    this.add(piece.slice(end.index + end[0].length))
  }

  #takeTag(piece: string): void {
    const [tag, closing, name] = TAG.exec(piece) ?? []
    if (tag === undefined || name === undefined) {
      this.add(`<${piece}`)
      return
    }
    if (HIDDEN.test(name) && closing === '') {
      this.#hiddenUntil = HIDDEN_END
      return
    }
    if (name.toLowerCase() === 'br') {
      this.#endLine()
      this.text += '\n'
      this.#isAfterBreak = true
    } else if (BLOCK.test(name)) this.#isEnded ||= !this.#isAfterBreak
    this.add(piece.slice(tag.length))
  }

  add(text: string): void {
    // Between blocks, ends of lines are for the reader of the source.
    if (text === '' || /^\s*\n\s*$/.test(text)) return
    this.#endLine()
    this.text += withoutEntities(text)
    this.#isAfterBreak = false
  }

  #endLine(): void {
    if (this.#isEnded && this.text !== '') this.text += '\n'
    this.#isEnded = false
  }
}
