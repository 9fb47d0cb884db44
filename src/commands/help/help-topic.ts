/** A page of help that belongs to no single command. The same parts become text, markdown and a man page. */
export interface HelpTopic {
  readonly title: string
  readonly parts: readonly HelpPart[]
}

/** A paragraph, or terms with what they mean. */
export type HelpPart = string | { readonly rows: readonly (readonly [term: string, meaning: string])[] }
