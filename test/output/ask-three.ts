import { askHidden, askTyped, askYesNo } from '../../src/output/prompt.ts'

/** A process that asks three questions and prints the answers, or the error that ended them. */
const { stdin, stdout, stderr } = process
const io = { stdin, stdout, stderr }
const interruption = new AbortController()
process.once('SIGINT', () => interruption.abort())
const { signal } = interruption
try {
  const answers = [
    await askTyped(io, 'name? ', signal),
    await askHidden(io, 'key? ', signal),
    await askYesNo(io, 'sure? ', signal),
  ]
  stdout.write(JSON.stringify(answers))
} catch (error) {
  stdout.write((error as { code: string }).code)
}
