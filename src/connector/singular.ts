/** `machine` of `machines`, `company` of `companies`. */
export function singularOf(plural: string): string {
  return plural.replace(/ies$/, 'y').replace(/(?<=(?:s|x|ch|sh))es$|(?<!s)s$/, '')
}
