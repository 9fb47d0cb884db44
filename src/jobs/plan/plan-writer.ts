import { createHash, type Hash } from 'node:crypto'
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { isJsonObject, type JsonObject, parseExactJson } from '../../core/json.ts'
import { toMachineError } from '../../files/machine-error.ts'
import type { NewOperation, OperationHead, PlanCounts, PlanEnd, PlanHead, PlanOperation } from './plan-format.ts'

/** The input chooses the member names, and could have a new one in every row. */
const MOST_FIELDS = 1000

const PLAN_CHUNK_CHARS = 64 * 1024
/** UTF-8 takes at most three bytes per unit of UTF-16. */
const BYTES_PER_CHAR = 3

/** Writes a plan from its head to its end; without the end it is invalid. */
export class PlanWriter {
  readonly #path: string
  readonly #file: number
  readonly #hash: Hash = createHash('sha256')
  #text: string
  #count = 0
  /** Reused: new buffers would not be collected in time. */
  #chunk = Buffer.allocUnsafeSlow(2 * PLAN_CHUNK_CHARS)
  #isClosed = false

  /** CrmError `machine` if the file exists or cannot be created. */
  constructor(path: string, head: PlanHead) {
    this.#path = path
    try {
      this.#file = openSync(path, 'wx', 0o600)
    } catch (error) {
      throw toMachineError(error, path)
    }
    this.#text = `${JSON.stringify(head)}\n`
  }

  /** The number of operations so far. */
  get count(): number {
    return this.#count
  }

  add({ head, body }: NewOperation): void {
    const text = JSON.stringify(head)
    const tail = body === undefined ? '}' : `,"body":${body}}`
    this.#text += `{"op":${this.#count++},${text.slice(1, -1)}${tail}\n`
    if (this.#text.length > PLAN_CHUNK_CHARS) this.#flush()
  }

  /** Synced when it returns. */
  end(counts: PlanCounts): PlanEnd {
    this.#flush()
    const end: PlanEnd = { end: true, ...counts, sha256: this.#hash.digest('hex') }
    this.#write(`${JSON.stringify(end)}\n`)
    try {
      fdatasyncSync(this.#file)
    } catch (error) {
      throw toMachineError(error, this.#path)
    }
    this.close()
    return end
  }

  /** May be called more than once. */
  close(): void {
    if (!this.#isClosed) closeSync(this.#file)
    this.#isClosed = true
  }

  #flush(): void {
    const most = this.#text.length * BYTES_PER_CHAR
    if (this.#chunk.length < most) this.#chunk = Buffer.allocUnsafeSlow(most)
    const bytes = this.#chunk.subarray(0, this.#chunk.write(this.#text))
    this.#text = ''
    this.#hash.update(bytes)
    this.#write(bytes)
  }

  #write(data: string | Buffer): void {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at)
    } catch (error) {
      throw toMachineError(error, this.#path)
    }
  }
}

/** The number of operations that write a member, by kind. */
export interface FieldCount {
  readonly field: string
  readonly create: number
  readonly update: number
  /** The number of updates that clear it. */
  readonly clear: number
}

/** Which members the operations of a plan write. */
export class FieldCounts {
  readonly #counts = new Map<string, { field: string; create: number; update: number; clear: number }>()

  add(kind: OperationHead['do'], body: JsonObject): void {
    if (kind === 'delete' || kind === 'fail') return
    for (const field of Object.keys(body)) {
      let count = this.#counts.get(field)
      if (!count) {
        if (this.#counts.size >= MOST_FIELDS) continue
        count = { field, create: 0, update: 0, clear: 0 }
        this.#counts.set(field, count)
      }
      count[kind] += 1
      if (kind === 'update' && body[field] === null) count.clear += 1
    }
  }

  /** Parses the body, which takes seconds for a million operations. */
  addFrom({ head, body }: PlanOperation): void {
    const parsed = body && parseExactJson(body.toString('utf8'))
    if (isJsonObject(parsed)) this.add(head.do, parsed)
  }

  /** The most written first. */
  list(): readonly FieldCount[] {
    return [...this.#counts.values()].toSorted((a, b) => b.create + b.update - a.create - a.update)
  }
}

/** Reads them from a plan. */
export function fieldsOfPlan(plan: { all(): Iterable<PlanOperation> }): readonly FieldCount[] {
  const fields = new FieldCounts()
  for (const operation of plan.all()) fields.addFrom(operation)
  return fields.list()
}
