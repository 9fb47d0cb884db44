/** ECMA-376 has 16,384 columns and 1,048,576 rows. */
export const SHEET_COLUMNS = 16_384
export const SHEET_ROWS = 1_048_576

/** `C` for 2. */
export function columnLetters(at: number): string {
  let letters = ''
  for (let rest = at + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters
  }
  return letters
}

/** `Sheet1!C7`; a name with blanks or marks is in quotes, as in formulas. */
export function cellName(sheet: string, cell: string): string {
  const name = /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(sheet) ? sheet : `'${sheet.replaceAll("'", "''")}'`
  return `${name}!${cell}`
}

export interface CellPlace {
  /** From 0. */
  readonly column: number
  /** From 1. */
  readonly row: number
}

/** Column and row of `C7`; undefined if it names no cell of a sheet. */
export function placeOfCell(reference: string): CellPlace | undefined {
  const [, letters, digits] = /^([A-Z]{1,3})([1-9]\d{0,6})$/.exec(reference) ?? []
  if (letters === undefined) return undefined
  let column = 0
  for (let at = 0; at < letters.length; at++) column = column * 26 + letters.charCodeAt(at) - 64
  const row = Number(digits)
  return column <= SHEET_COLUMNS && row <= SHEET_ROWS ? { column: column - 1, row } : undefined
}
