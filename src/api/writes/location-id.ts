import type { IncomingHttpHeaders } from 'node:http'

/**
 * The id of the created record in its address (RFC 9110 section 10.2.2); OData has a header of its own, and the key in
 * brackets. Undefined when the address is neither below the collection nor ends like an id: some servers name the list, or a
 * login page.
 */
export function idInLocation(headers: IncomingHttpHeaders, collection = ''): string | undefined {
  const location = headers['odata-entityid'] ?? headers.location
  const url = typeof location === 'string' ? URL.parse(location, 'http://origin.invalid') : null
  const [last = '', parent = ''] = segmentsOf(url?.pathname ?? '')
  const [posted] = segmentsOf(collection)
  const key = /\(([^()]+)\)$/.exec(last)?.[1]?.replace(/^'(.*)'$/, '$1')
  if (last === '' || last.toLowerCase() === posted?.toLowerCase()) return undefined
  const isBelow = parent.toLowerCase() === posted?.toLowerCase()
  if (key === undefined && !isBelow && !/\d/.test(last)) return undefined
  try {
    return decodeURIComponent(key ?? last)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

/** Last segment first. */
function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter(Boolean).reverse()
}
