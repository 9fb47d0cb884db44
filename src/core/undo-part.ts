/** Selects operations of a job by an expression, by lines of its input, or by ids, of which only the number and a checksum are stored. */
export type Selected =
  | { readonly where: string }
  | { readonly rows: string }
  | { readonly ids: number; readonly sha256: string }

/** The part of a job that an undo reverts; the whole job if both are undefined. */
export interface UndoPart {
  /** Only these members of changed records. */
  readonly only?: readonly string[]
  /** Only these operations. */
  readonly selected?: Selected
}

export function isPart({ only, selected }: UndoPart): boolean {
  return only !== undefined || selected !== undefined
}

/** `name, company of rows 2-200`; undefined for all of a job. */
export function partText({ only, selected }: UndoPart): string | undefined {
  const parts = [only?.join(', '), selected && selectedText(selected)].filter((part) => part !== undefined)
  return parts.length === 0 ? undefined : parts.join(' of ')
}

function selectedText(selected: Selected): string {
  if ('where' in selected) return `records where ${selected.where}`
  if ('rows' in selected) return `${/[-,]/.test(selected.rows) ? 'rows' : 'row'} ${selected.rows}`
  return selected.ids === 1 ? '1 id' : `${selected.ids} ids`
}
