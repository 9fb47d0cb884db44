import { CrmError } from '../core/errors.ts'

/** `--filter k=v` as query parameters; what they mean is up to the server. Values of one key are alternatives. */
export function parseFilters(texts: readonly string[]): Readonly<Record<string, string>> {
  const filters = new Map<string, string>()
  for (const text of texts) {
    const at = text.indexOf('=')
    if (at < 1) {
      throw new CrmError('usage', `--filter ${JSON.stringify(text)} is not key=value`, {
        hint: "expected a parameter of the server, such as --filter stage=Won or --filter 'amount[gte]=1000'",
      })
    }
    const [key, value] = [text.slice(0, at), text.slice(at + 1)]
    const before = filters.get(key)
    filters.set(key, before === undefined ? value : `${before},${value}`)
  }
  return Object.fromEntries(filters)
}
