import { shellWord } from './shell-word.ts'

/** ` -p NAME` as it was typed, for the end of a command that is to lead to the same server; empty without it. */
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
