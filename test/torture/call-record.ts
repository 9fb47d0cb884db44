import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** A system call that changes or syncs a file or a name. Paths are absolute; '' is a file that has no name any more. */
export type Call =
  | { readonly does: 'open'; readonly path: string; readonly flags: readonly string[] }
  | { readonly does: 'make folder' | 'remove' | 'sync'; readonly path: string }
  | { readonly does: 'rename' | 'link'; readonly from: string; readonly path: string }
  | { readonly does: 'resize'; readonly path: string; readonly size: number }
  /** Without `at`: where the descriptor stands, at the end of the file. */
  | { readonly does: 'write'; readonly path: string; readonly fd: number; readonly at?: number; readonly data: Buffer }

/** A call begins, and ends with a result, unless the process was killed in it. Calls that failed are left out. */
export type Step = { readonly begins: Call } | { readonly ends: Call; readonly result: number }

/** A question mark: not every processor has it. */
const NAMES =
  '?open,openat,?mkdir,mkdirat,?unlink,unlinkat,?rmdir,?rename,?renameat,renameat2,?link,linkat,ftruncate,fsync,fdatasync,write,pwrite64,writev,pwritev,copy_file_range'

/**
 * `-D`: the process that is started is the program, and strace its grandchild, which ends after it. `-y`: behind each descriptor
 * stands what it is open for. `-xx -s`: all bytes, in hex.
 */
const STRACE = ['-D', '-f', '-qq', '--seccomp-bpf', '-y', '-xx', '-s', `${2 ** 29}`, '-e', 'signal=none']

/** False also where ptrace is forbidden. */
export const HAS_STRACE = spawnSync('strace', [...STRACE, '-o', '/dev/null', 'true']).status === 0

/** The command that runs a program and writes its calls to `log`; see recordEnded. */
export function recorded(log: string, program: readonly string[]): [string, ...string[]] {
  return ['strace', ...STRACE, '-e', `trace=${NAMES}`, '-o', log, ...program]
}

/**
 * Resolves when the record of an ended process is complete: strace outlives it. If the process was killed before strace was attached,
 * there is no record, and strace waits for ever, with the output of the process open: it is ended here.
 */
export async function recordEnded(log: string): Promise<void> {
  for (let waits = 0; ; waits++) {
    const writers = writersOf(log)
    if (writers.length === 0) return
    if (waits * WAIT_MS > LONGEST_WAIT_MS) throw new Error(`strace has not ended ${log}`)
    if (waits * WAIT_MS > UNATTACHED_MS && !existsSync(log)) for (const pid of writers) process.kill(pid, 'SIGKILL')
    await setTimeout(WAIT_MS)
  }
}

const WAIT_MS = 10
/** After this time, strace has opened its record. */
const UNATTACHED_MS = 2000
const LONGEST_WAIT_MS = 30_000

function writersOf(log: string): readonly number[] {
  const argument = `\0${log}\0`
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(argument) ? [Number(name)] : []
    } catch {
      // It has ended meanwhile.
      return []
    }
  })
}

/**
 * None of a call in which the process was killed: it ends in `<unfinished ...>`, `<detached ...>`, `= ?`, or with an error that the
 * kernel does not have, `= -1 (errno 18446744073709551598)`.
 */
const RESULT = /\) += (-?\d+)(?! \(errno )/

/** The calls that name something below `folder`, and the writes to standard output. */
export function readRecord(log: string, folder: string): Step[] {
  const steps: Step[] = []
  const failed = new Set<Call>()
  const underWay = new Map<string, Call>()
  const hexFolder = hexOf(folder)
  for (const line of linesOf(log)) {
    const [, thread = '', name, rest = ''] = /^(\d+) +(?:(\w+)\(|<\.\.\. \w+ resumed>)(.*)$/.exec(line) ?? []
    const begun = rest.includes(hexFolder) || rest.startsWith('1<') ? readCall(name, rest) : undefined
    if (begun) steps.push({ begins: begun })
    const call = begun ?? underWay.get(thread)
    underWay.delete(thread)
    if (!call) continue
    const result = Number(RESULT.exec(rest)?.[1])
    if (Number.isNaN(result)) underWay.set(thread, call)
    else if (result < 0) failed.add(call)
    else steps.push({ ends: call, result })
  }
  return steps.filter((step) => !failed.has('ends' in step ? step.ends : step.begins))
}

function linesOf(log: string): string[] {
  // None if the process was killed before strace had begun.
  return existsSync(log) ? readFileSync(log, 'latin1').split('\n') : []
}

function readCall(name: string | undefined, line: string): Call | undefined {
  const text = line.replace(/ <(?:unfinished|detached) .*$|\) += .*$/, '')
  const args = text.split(', ')
  const strings = [...text.matchAll(/"([^"]*)"/g)].map(([, hex = '']) => bytesOf(hex))
  const open = [...text.matchAll(/<([^>]*)>(\(deleted\))?/g)].map(([, hex = '', isGone]) =>
    isGone ? '' : bytesOf(hex).toString(),
  )
  const path = (which: number) => resolve(open[which] ?? '', strings[which]?.toString() ?? '')
  const [fd, file = '', last] = [Number.parseInt(text, 10), open[0], Number(args.at(-1))]
  switch (name?.replace(/at2?$|64$|v$/, '')) {
    case 'open':
      return { does: 'open', path: path(0), flags: args.find((arg) => arg.startsWith('O_'))?.split('|') ?? [] }
    case 'mkdir':
      return { does: 'make folder', path: path(0) }
    case 'unlink':
    case 'rmdir':
      return { does: 'remove', path: path(0) }
    case 'rename':
      return { does: 'rename', from: path(0), path: path(1) }
    case 'link':
      return { does: 'link', from: path(0), path: path(1) }
    case 'ftruncate':
      return { does: 'resize', path: file, size: last }
    case 'fsync':
    case 'fdatasync':
      return { does: 'sync', path: file }
    case 'write':
      return { does: 'write', path: file, fd, data: Buffer.concat(strings) }
    case 'pwrite':
      return { does: 'write', path: file, fd, at: last, data: Buffer.concat(strings) }
    case 'copy_file_range':
      return readCopy(args, open)
    default:
      return
  }
}

/** `21<FROM>, [OFFSET], 22<TO>, NULL, LENGTH, 0`, as libuv calls it to copy a file from elsewhere. */
function readCopy(
  [, offset = '', to = '', , length]: readonly string[],
  [from = '', path = '']: readonly string[],
): Call {
  const start = Number.parseInt(offset.slice(1), 10)
  const data = readFileSync(from).subarray(start, start + Number(length))
  return { does: 'write', path, fd: Number.parseInt(to, 10), data }
}

function hexOf(text: string): string {
  return [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.replaceAll('\\x', ''), 'hex')
}
