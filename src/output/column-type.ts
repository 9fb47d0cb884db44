/** The types that a header can state: `score:number`. A column without one is text. */
export const COLUMN_TYPES = ['text', 'number', 'integer', 'boolean', 'json'] as const

export type ColumnType = (typeof COLUMN_TYPES)[number]

const TYPED = new RegExp(`^(.+):(${COLUMN_TYPES.join('|')})$`, 's')

/** The name and the type of `score:number`; undefined for a header without a type. */
export function typedHeader(header: string): { readonly name: string; readonly type: ColumnType } | undefined {
  const [, name, type] = TYPED.exec(header) ?? []
  const known = COLUMN_TYPES.find((each) => each === type)
  return name !== undefined && known ? { name, type: known } : undefined
}

/** The header of a column; texts need no type, unless their name would be read as one. */
export function headerOf(name: string, type: ColumnType = 'text'): string {
  return type === 'text' && !typedHeader(name) ? name : `${name}:${type}`
}
