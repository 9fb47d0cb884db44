import { shellWord } from './shell-word.ts'

/** The ` -p NAME` of the command line, to append to a suggested command for the same server; empty without one. */
export function typedProfile(argv: readonly string[]): string {
  let name: string | undefined
  for (const [at, word] of argv.entries()) {
    if (word === '--') break
    if (word === '-p' || word === '--profile') name = argv[at + 1] ?? name
    else if (word.startsWith('--profile=')) name = word.slice('--profile='.length)
    else if (/^-p./.test(word)) name = word.slice(2)
  }
  return name === undefined ? '' : ` -p ${shellWord(name)}`
}
