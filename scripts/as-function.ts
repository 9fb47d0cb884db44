/**
 * A module as a function. In parentheses, because V8 then compiles it at once: it runs in any case. esbuild leaves foreign characters
 * in regular expressions; with one, V8 keeps each character of the file in two bytes.
 */
export function asFunction(code: string): string {
  const ascii = code.replace(/[^\0-\x7F]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `(function(exports,require,module,__filename,__dirname){${ascii}})`
}
