import type { Task } from './task.ts'

/** Tasks that may be sent, and those that have to wait first. */
export class TaskQueue {
  readonly #ready: Task[] = []
  #taken = 0
  #later: { readonly task: Task; readonly atMs: number }[] = []

  get readyCount(): number {
    return this.#ready.length - this.#taken
  }

  get count(): number {
    return this.readyCount + this.#later.length
  }

  push(tasks: readonly Task[]): void {
    for (const task of tasks) this.#ready.push(task)
  }

  /** Not before `atMs` of the clock that `take` is asked with. */
  delay(task: Task, atMs: number): void {
    const index = this.#later.findIndex((other) => other.atMs > atMs)
    this.#later.splice(index < 0 ? this.#later.length : index, 0, { task, atMs })
  }

  /** Those that have waited long enough go first: they are the older ones. */
  take(nowMs: number): Task | undefined {
    const [first] = this.#later
    if (first && first.atMs <= nowMs) {
      this.#later.shift()
      return first.task
    }
    const task = this.#ready[this.#taken]
    if (task === undefined) return undefined
    this.#taken += 1
    if (this.#taken >= 1024 || this.#taken === this.#ready.length) {
      this.#ready.splice(0, this.#taken)
      this.#taken = 0
    }
    return task
  }

  /** When the first of those that wait is due. */
  get nextMs(): number | undefined {
    return this.#later[0]?.atMs
  }

  /** What has not been sent, or has to be sent again. */
  drain(): readonly Task[] {
    const rest = [...this.#ready.slice(this.#taken), ...this.#later.map(({ task }) => task)]
    this.#ready.length = 0
    this.#taken = 0
    this.#later = []
    return rest
  }
}
