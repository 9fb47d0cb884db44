// Answers with a text that the build wrote, before anything else is loaded.
// Old versions of Node load this file too.
const { fstatSync, writeSync } = require('node:fs')

const VERSION = '--version'

/** The name of the text that answers this command line: the version, or help for a command. */
function textName(words) {
  if (words.length === 1 && (words[0] === VERSION || words[0] === '-V')) return VERSION
  const isHelp = words.at(-1) === '--help' || words.at(-1) === '-h'
  if (!isHelp && words[0] !== 'help') return undefined
  const path = isHelp ? words.slice(0, -1) : words.slice(1)
  return path.every((word) => /^[a-z][a-z-]*$/.test(word)) ? ['crm', ...path].join('.') : undefined
}

/**
 * Whether the answer was written. Not help for a terminal, which has a width of its own. `readFile` returns the bytes of a file of
 * the build, and throws if there is none: a mistyped command, or a topic of help, which the program answers.
 */
function answerWithText(words, readFile) {
  const name = textName(words)
  if (name === undefined || (name !== VERSION && isTerminal(1))) return false
  let rest
  try {
    rest = readFile(`texts/${name}.txt`)
  } catch {
    return false
  }
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(1, rest))
  } catch (error) {
    if (error.code === 'EPIPE') return true
    // A pipe that takes no more at once: the stream waits for it.
    if (error.code !== 'EAGAIN') return false
    process.stdout.write(rest)
  }
  return true
}

/** Node's own check loads its code for sockets, which is 5 % of a start. */
function isTerminal(fd) {
  return fstatSync(fd).isCharacterDevice() && require('node:tty').isatty(fd)
}

module.exports = { answerWithText }
