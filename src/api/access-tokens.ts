/** Access tokens, one after another. */
export interface AccessTokens {
  /** All so far, for what must show none of them. */
  readonly secrets: ReadonlySet<string>
  /** The one to send; another one is got first if it ends soon. CrmError `unreachable` where the server of tokens gives none now. */
  current(): Promise<string>
  /** The one after a token that was refused; undefined if there is none. CrmError as above. */
  after(refused: string): Promise<string | undefined>
}
