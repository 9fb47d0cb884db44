/** xsd:double, without NaN and infinity. */
const DOUBLE = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/

/** Larger exponents stay as they are. */
const MOST_ZEROS = 30

/**
 * A number as JSON writes it, with the digits of the cell, without an exponent if that is readable, and without the decimals of
 * `5.0`, which some programs write for 5; undefined if it is none.
 */
export function plainNumber(text: string): string | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = DOUBLE.exec(text.trim()) ?? []
  if (whole === '' && fraction === '') return undefined
  const shift = Number(exponent)
  const minus = sign === '-' ? '-' : ''
  if (Math.abs(shift) > MOST_ZEROS) {
    const digits = `${whole.replace(/^0+(?=\d)/, '') || '0'}${fraction === '' ? '' : `.${fraction}`}`
    return `${minus}${digits}e${shift}`
  }
  const [left, right] = shifted(whole, fraction, shift)
  return `${minus}${left.replace(/^0+(?=\d)/, '') || '0'}${/[1-9]/.test(right) ? `.${right}` : ''}`
}

function shifted(whole: string, fraction: string, shift: number): readonly [string, string] {
  if (shift >= 0) {
    const padded = fraction.padEnd(shift, '0')
    return [`${whole}${padded.slice(0, shift)}`, padded.slice(shift)]
  }
  const padded = whole.padStart(-shift, '0')
  const at = padded.length + shift
  return [padded.slice(0, at), `${padded.slice(at)}${fraction}`]
}
