/** The attributes of a cell, each as the codes of SGR that set it; empty where it is not set. */
export interface Style {
  readonly weight: string
  readonly inverse: string
  readonly foreground: string
  readonly background: string
}

export const NO_STYLE: Style = { weight: '', inverse: '', foreground: '', background: '' }

type Attribute = keyof Style

const ATTRIBUTES: readonly Attribute[] = ['weight', 'inverse', 'foreground', 'background']

/** The codes that end an attribute. */
const ENDS: Readonly<Record<Attribute, string>> = { weight: '22', inverse: '27', foreground: '39', background: '49' }

const CODE = /[34]8;5;\d+|\d+/g

/** The style after the codes of one SGR sequence. */
export function styleAfter(style: Style, codes: string): Style {
  let next = style
  for (const [code] of codes.matchAll(CODE)) {
    const attribute = attributeOf(code)
    const isBoth = attribute === 'weight' && next.weight !== '' && next.weight !== code
    next =
      attribute === undefined
        ? NO_STYLE
        : { ...next, [attribute]: code === ENDS[attribute] ? '' : isBoth ? `${next.weight};${code}` : code }
  }
  return next
}

/** Undefined for 0, which ends all. */
function attributeOf(code: string): Attribute | undefined {
  if (code === '0') return undefined
  if (/^(?:1|2|22)$/.test(code)) return 'weight'
  if (/^2?7$/.test(code)) return 'inverse'
  return /^(?:4|10)/.test(code) ? 'background' : 'foreground'
}

export function isSameStyle(one: Style, other: Style): boolean {
  return one === other || ATTRIBUTES.every((attribute) => one[attribute] === other[attribute])
}

/** The shortest sequence that changes one style into another. */
export function styleChange(from: Style, to: Style): string {
  if (isSameStyle(from, to)) return ''
  const kept = ATTRIBUTES.filter((attribute) => to[attribute] !== '').map((attribute) => to[attribute])
  // An empty code is 0, which ends all.
  const codes = isSameStyle(from, NO_STYLE) ? kept : ['', ...kept]
  const afresh = `\x1b[${codes.join(';')}m`
  const changed = ATTRIBUTES.filter((attribute) => from[attribute] !== to[attribute]).map((attribute) =>
    changeOf(attribute, from, to),
  )
  const alone = `\x1b[${changed.join(';')}m`
  return alone.length < afresh.length ? alone : afresh
}

/** Bold does not end dim, nor dim bold. */
function changeOf(attribute: Attribute, from: Style, to: Style): string {
  const next = to[attribute]
  if (next === '') return ENDS[attribute]
  return attribute === 'weight' && from.weight !== '' ? `${ENDS.weight};${next}` : next
}
