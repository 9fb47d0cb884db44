// The values of a field with the records that one is linked with: `17`, and beside it `17[Billing contact]` for each label of the link.

interface Link {
  readonly id: string
  readonly label: string | undefined
}

export function linkText(id: string, label: string | undefined): string {
  return label === undefined ? id : `${id}[${label}]`
}

export function linkIn(text: string): Link {
  const [, id = text, label] = /^(.*?)\[(.*)\]$/s.exec(text) ?? []
  return { id, label }
}

/** Each once and in one order, with the link that a label is of. */
export function wholeLinks(values: readonly string[]): string[] {
  return [...new Set(values.flatMap((value) => [linkIn(value).id, value]))].sort()
}
