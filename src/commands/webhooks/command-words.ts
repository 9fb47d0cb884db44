import { CrmError } from '../../core/errors.ts'
import { shellWords } from '../../core/shell-words.ts'
import { hideInAddress, hideTokens } from '../../core/token-forms.ts'
import type { ProgramWords } from '../../files/programs.ts'

/** The words of the command of a flag. CrmError `usage` for a credential by its form: other users can read a command line. */
export function commandWords(text: string, flag: string): ProgramWords {
  if (hideTokens(text) !== text) throw hasSecret(flag)
  const words = shellWords(text, flag)
  if (words.some((word) => word.includes('://') && hideInAddress(word) !== word)) throw hasSecret(flag)
  return words
}

function hasSecret(flag: string): CrmError {
  return new CrmError('usage', `the command of ${flag} has a secret, which other users of this machine can read`, {
    hint: 'write it to a file that only you can read, and let the command read that',
  })
}
