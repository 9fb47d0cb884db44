import { shellWord } from '../core/shell-word.ts'

/** The command line that was typed, with one flag set to another value; ready to be pasted into a shell. */
export function withFlag(argv: readonly string[], flag: string, value: string): string {
  const words: string[] = []
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? ''
    if (word === flag) index++
    else if (!word.startsWith(`${flag}=`)) words.push(word)
  }
  return commandLine([...words, flag, value])
}

export function commandLine(argv: readonly string[]): string {
  return ['crm', ...argv].map(shellWord).join(' ')
}
