import { readVocabulary } from '../../scripts/read-vocabulary.ts'
import { answerTo, type Suggestion, type Suggestions } from '../../src/completion/candidates.ts'
import { type Known, NOTHING_KNOWN } from '../../src/completion/known.ts'
import { wantedAt } from '../../src/completion/wanted.ts'

const vocabulary = await readVocabulary()

/** The answer for `crm` followed by these words, with the cursor in the last one. */
export async function answerAt(words: readonly string[], known: Partial<Known> = {}): Promise<Suggestions> {
  return answerTo(wantedAt(vocabulary, words), {
    profiles: async () => [
      ['local', 'http://127.0.0.1:4243'],
      ['prod', 'https://crm.example.com'],
    ],
    known: async () => ({ ...NOTHING_KNOWN, ...known }),
    jobs: () => ['job_2', 'job_1'],
    events: () => [['evt_2', 'deal.updated deal_1']],
  })
}

export async function candidatesAt(
  words: readonly string[],
  known: Partial<Known> = {},
): Promise<readonly Suggestion[]> {
  const { candidates } = await answerAt(words, known)
  if (candidates === 'files') throw new Error('files were answered')
  return candidates
}

export async function wordsAt(words: readonly string[], known: Partial<Known> = {}): Promise<readonly string[]> {
  return (await candidatesAt(words, known)).map(({ word }) => word)
}
