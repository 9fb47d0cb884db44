import { Option } from '@commander-js/extra-typings'
import { CrmError } from '../core/errors.ts'
import { nearest } from '../core/nearest.ts'
import { withFlag } from './command-line.ts'
import { parseNouns } from './flags.ts'

/** `--only contacts,companies`. */
export function onlyFlag() {
  return new Option('--only <nouns>', 'of these objects alone, comma separated').argParser(parseNouns)
}

/** `--notes` of snapshots. */
export function notesFlag() {
  return new Option('--notes', 'the notes, too: where the server has no list of all, a request for each record')
}

/** CrmError `usage` for a word of `--only` that is none of these nouns; the hint has the nearest. */
export function refuseOtherNouns(
  argv: readonly string[],
  only: readonly string[],
  { nouns, what }: { readonly nouns: readonly string[]; readonly what: string },
): void {
  const wrong = only.find((noun) => !nouns.includes(noun))
  if (wrong === undefined) return
  const meant = only.map((noun) => (nouns.includes(noun) ? noun : nearest(noun, nouns)))
  throw new CrmError('usage', `--only ${wrong}: expected ${what}: ${nouns.join(', ')}`, {
    hint: withFlag(argv, '--only', (meant.includes(undefined) ? nouns : meant).join(',')),
  })
}
