/** A word, an operator, a comment or blanks: the shell syntax that occurs in documents. */
const TOKEN =
  /(?<blank>[ \t]+|\\\n)|(?<comment>#[^\n]*)|(?<operator>\|\||&&|[;|&\n()])|(?<redirect>\d?(?:>>|>&|<<|[<>]))|(?<word>(?:'[^']*'|"(?:[^"\\]|\\.)*"|\$\((?:[^()'"]|'[^']*'|"[^"]*")*\)|\\.|[^\s'"\\;|&()<>])+)/gsu

/** Words before a command that are not part of it. */
const PREFIX = /^(?:[A-Za-z_]\w*=.*|npx|time|!)$/s

/** The arguments of each `crm` in a shell script, including those in `$(...)` and in the quotes of `trap`. */
export function crmCommands(script: string): string[][] {
  const found: string[][] = []
  let words: string[] = []
  let isFile = false
  const end = () => {
    const [name, ...args] = words.slice(words.findIndex((word) => !PREFIX.test(word)))
    if (name === 'crm') found.push(args)
    if (name === 'trap') found.push(...crmCommands(args[0] ?? ''))
    words = []
  }
  for (const { groups = {} } of script.matchAll(TOKEN)) {
    const { operator, redirect, word } = groups
    if (operator !== undefined) end()
    if (redirect !== undefined) isFile = true
    if (word === undefined) continue
    for (const [, inner = ''] of word.matchAll(/\$\(([^()]*)\)/g)) found.push(...crmCommands(inner))
    if (!isFile) words.push(unquoted(word))
    isFile = false
  }
  end()
  return found
}

function unquoted(word: string): string {
  return word.replace(
    /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gs,
    (_, single, double, escaped) => single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped,
  )
}
