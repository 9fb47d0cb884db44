/** A JSON value as its exact text. */
export class JsonValueText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
