/** A point that the document leaves open, or a remark. */
export interface Decision {
  /** In the draft, such as `objects.contacts.verbs.list`: the comment stands before that member, or the nearest one that is there. */
  readonly at: string
  readonly text: string
  readonly question?: Question | undefined
}

/** A decision that can be made before the draft is written. */
export interface Question {
  /** `contacts` for its path; such as `auth` for others. */
  readonly id: string
  readonly ask: string
  /** Empty: any text is an answer. */
  readonly choices: readonly string[]
}

/** What the draft says beside its values: open points, remarks, and the answers that were given. */
export class Decisions {
  readonly open: Decision[] = []
  readonly remarks: Decision[] = []
  /** What shows the server, for messages. */
  readonly source: string
  readonly #answers: ReadonlyMap<string, string>

  constructor(answers: ReadonlyMap<string, string>, source = 'the document') {
    this.#answers = answers
    this.source = source
  }

  answer(id: string): string | undefined {
    return this.#answers.get(id)
  }

  decide(at: string, text: string, question?: Question): void {
    if (question && this.#answers.has(question.id)) return
    this.open.push({ at, text, question })
  }

  /** With a question, a terminal is asked it; without an answer, nothing is left open. */
  remark(at: string, text: string, question?: Question): void {
    if (question && this.#answers.has(question.id)) return
    this.remarks.push({ at, text, question })
  }
}

/** Without control characters, and without characters that change the direction of text. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ')
}
