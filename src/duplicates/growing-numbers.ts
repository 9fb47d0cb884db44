/** Numbers outside of V8's heap, whose young part would grow with lists of 100,000. */
export class GrowingNumbers {
  readonly #Numbers: Float64ArrayConstructor | Uint32ArrayConstructor
  #numbers: Float64Array | Uint32Array
  #length = 0

  /** Uint32Array takes half of the memory, and whole numbers below 2^32 only. */
  constructor(Numbers: Float64ArrayConstructor | Uint32ArrayConstructor = Float64Array) {
    this.#Numbers = Numbers
    this.#numbers = new Numbers(1 << 10)
  }

  get length(): number {
    return this.#length
  }

  /** Returns its place. */
  push(number: number): number {
    if (this.#length === this.#numbers.length) {
      const longer = new this.#Numbers(2 * this.#length)
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

  /** Sorted; there is none left here. */
  takeSorted(): Float64Array | Uint32Array {
    const sorted = this.#numbers.subarray(0, this.#length).sort()
    this.#numbers = new this.#Numbers(1 << 10)
    this.#length = 0
    return sorted
  }
}
