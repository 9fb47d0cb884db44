/** Numbers outside of V8's heap, whose young part would grow with lists of 100,000. */
export class GrowingNumbers {
  #numbers = new Float64Array(1 << 10)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Returns its place. */
  push(number: number): number {
    if (this.#length === this.#numbers.length) {
      const longer = new Float64Array(2 * this.#length)
      longer.set(this.#numbers)
      this.#numbers = longer
    }
    this.#numbers[this.#length] = number
    return this.#length++
  }

  at(place: number): number {
    const number = this.#numbers[place]
    if (number === undefined || place >= this.#length) throw new Error(`there is no number at ${place}`)
    return number
  }

  set(place: number, number: number): void {
    this.#numbers[place] = number
  }

  sorted(): Float64Array {
    return this.#numbers.subarray(0, this.#length).sort()
  }
}
