/** The texts that Tab takes in turn, and which was taken last. */
export interface Taking {
  readonly options: readonly string[]
  readonly index: number
}

export interface Completable {
  readonly taking?: Taking | undefined
  /** The texts that the typed beginning can become. */
  readonly complete?: ((text: string) => readonly string[]) | undefined
  /** Where the part of a text begins that is shown of it; undefined: the last word. */
  readonly wordStart?: ((text: string) => number) | undefined
}

export interface Taken {
  readonly text: string
  readonly taking: Taking | undefined
}

/** The first Tab adds what all completions begin with; if that is nothing, each takes the next of them. */
export function takeCompletion(text: string, { taking, complete }: Completable, step: 1 | -1): Taken | undefined {
  if (taking) {
    const { options, index } = taking
    const next = (index + step + options.length) % options.length
    return { text: options[next] ?? text, taking: { options, index: next } }
  }
  const options = complete?.(text) ?? []
  const [first] = options
  if (first === undefined) return undefined
  const common = commonStart(options)
  if (options.length === 1 || common.length > text.length) return { text: common, taking: undefined }
  return { text: first, taking: { options, index: 0 } }
}

function commonStart(texts: readonly string[]): string {
  return texts.reduce((common, text) => {
    let length = 0
    while (length < common.length && common[length] === text[length]) length++
    return common.slice(0, length)
  })
}
