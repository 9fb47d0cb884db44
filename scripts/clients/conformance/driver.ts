import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { isJsonObject, type JsonObject, type JsonValue, parseExactJson } from '../../../src/core/json.ts'

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** A step that takes longer has hung: no scenario waits for more than a few seconds. */
const STEP_MS = 30_000

export interface Reply {
  readonly value?: JsonValue
  readonly error?: JsonObject
  /** The client does not offer the call. */
  readonly isLacking?: boolean
}

/** A program that makes the calls of a scenario with the client of one language: clients/conformance/README.md. */
export class Driver {
  readonly #child: ChildProcess
  #output = ''
  #wake: (() => void) | undefined
  readonly #lines: string[] = []
  #nextId = 1

  constructor(command: readonly string[], folder: string = ROOT) {
    const [program = '', ...args] = command
    // Nothing of this machine: no key, no proxy.
    const env = { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1', LANG: 'C.UTF-8', HOME: process.env.HOME }
    // The Node.js that runs this, not another one on the path.
    this.#child = spawn(program === 'node' ? process.execPath : program, args, {
      cwd: folder,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.#child.on('error', (error) => {
      this.#output += String(error)
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text
    })
    const lines = createInterface({ input: this.#child.stdout ?? process.stdin })
    lines.on('line', (line) => {
      this.#output += `${line}\n`
      this.#lines.push(line)
      this.#wake?.()
    })
    this.#child.on('close', () => this.#wake?.())
    // Its end shows as a missing reply.
    this.#child.stdin?.on('error', () => {})
  }

  async ask(step: JsonObject): Promise<Reply> {
    const id = this.#nextId++
    this.#child.stdin?.write(`${JSON.stringify({ id, ...step })}\n`)
    const line = await this.#line()
    const reply = parseExactJson(line)
    if (!isJsonObject(reply) || reply.id !== id) throw new Error(`the driver replied ${line} to step ${id}`)
    return reply as Reply
  }

  /** Everything it has written since the last call. */
  takeOutput(): string {
    const output = this.#output
    this.#output = ''
    return output
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const closed = once(this.#child, 'close')
    this.#child.stdin?.end()
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 2000)
    await closed
    clearTimeout(timer)
  }

  async #line(): Promise<string> {
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STEP_MS)
    try {
      while (this.#lines.length === 0) {
        if (this.#child.exitCode !== null || this.#child.signalCode !== null) {
          throw new Error(`the driver ended, or did not reply within ${STEP_MS / 1000} s: ${this.#output.slice(-1500)}`)
        }
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
      return this.#lines.shift() ?? ''
    } finally {
      clearTimeout(timer)
    }
  }
}
