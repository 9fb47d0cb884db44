/** `machine` of `machines`, `company` of `companies`. */
export function singularOf(plural: string): string {
  return plural.replace(/ies$/, 'y').replace(/(?<=(?:s|x|ch|sh))es$|(?<!s)s$/, '')
}

/** `machines` of `machine`, `companies` of `company`. */
export function pluralOf(singular: string): string {
  return singular
    .replace(/(?<![aeiou])y$/i, 'ie')
    .replace(/(?<=s|x|ch|sh)$/i, 'e')
    .concat('s')
}
