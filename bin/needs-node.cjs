// Loaded before the library, by `require` and by `import`: an older Node would print the source of the first thing that it lacks.
const [major, minor] = process.versions.node.split('.').map(Number)

if (major < 22 || (major === 22 && minor < 19)) throw tooOld()

/** Programs can catch it. Uncaught, it is printed as two lines, without the source of this file. */
function tooOld() {
  const text = `crm-cli needs Node.js 22.19 or later, and this is ${process.versions.node}\n  https://nodejs.org`
  const error = new Error(text)
  process.prependListener('uncaughtException', (uncaught) => {
    if (uncaught !== error) throw uncaught
    process.stderr.write(`${text}\n`)
    process.exit(13)
  })
  return error
}
