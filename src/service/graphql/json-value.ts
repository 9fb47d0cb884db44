/** A JSON value by its text: what was sent or stored, to the last digit. */
export class JsonValueText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
