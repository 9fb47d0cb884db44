import type { Change } from '../mutants.ts'

const STORE = 'src/service/store/postgres'

/** Builds of the service that lack one rule: a rig that lets them pass judges nothing. */
export const POSTGRES_MUTANTS = {
  /** Writers of several processes work side by side. */
  'no-lock': [
    { file: `${STORE}/sequence.ts`, from: 'rules_version FROM sequence FOR UPDATE', to: 'rules_version FROM sequence' },
    {
      file: `${STORE}/sequence.ts`,
      from: 'SELECT 1 FROM sequence FOR UPDATE SKIP LOCKED',
      to: 'SELECT 1 FROM sequence',
    },
  ],
  /** Another process takes a delivery whose claim has not ended. */
  'claims-ignored': [
    {
      file: 'src/service/store/delivery-turn.ts',
      from: 'AND next_at_ms <= $2',
      to: `AND (next_at_ms <= $2 OR state = 'sending')`,
    },
  ],
  /** A write is acknowledged, and then committed. */
  'early-answer': [
    {
      file: `${STORE}/database.ts`,
      from: `await Promise.all([...sent, session.script([...last, 'COMMIT'].join('; '))])`,
      to: `void Promise.all([...sent, session.script([...last, 'COMMIT'].join('; '))]).catch(() => {})`,
    },
  ],
  /** A request that is sent again takes effect again. */
  'no-answers': [
    {
      file: `${STORE}/write-batch.ts`,
      from: 'if (this.#new.size > 0) keepAnswers',
      to: 'if (this.#new.size < 0) keepAnswers',
    },
  ],
} as const satisfies Record<string, readonly Change[]>

export const POSTGRES_MUTANT_NAMES = Object.keys(POSTGRES_MUTANTS) as readonly (keyof typeof POSTGRES_MUTANTS)[]
