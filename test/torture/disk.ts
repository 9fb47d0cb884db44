import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import type { Call, Step } from './call-record.ts'
import { type Change, DiskFile } from './disk-file.ts'
import type { Random } from './random.ts'

/** No machine that has lost its power is back at once. */
const SECONDS_OFF = 60

/** Memory that processes share, which SQLite makes anew. */
const SHARED_MEMORY = /-shm$/

type CallOf<What extends Call['does']> = Extract<Call, { does: What }>

type Node = Folder | DiskFile
type Names = Map<string, Node>

class Folder {
  /** As programs see them. */
  readonly names: Names = new Map()
  readonly syncedNames: Names = new Map()
}

interface Name {
  readonly folder: Folder
  readonly name: string
  /** Undefined: the name is removed. */
  readonly node: Node | undefined
}

/** Names that change together. */
interface NameChange {
  readonly number: number
  readonly names: readonly Name[]
  readonly isCreation: boolean
}

/** The contents of files by their paths below the folder; undefined for a folder, which comes before what is in it. */
export type Tree = ReadonlyMap<string, Uint8Array | undefined>

/**
 * What a disk holds of a folder after a power cut, by the calls of all programs that wrote to it. A file has what was written before
 * its last fsync or fdatasync began, and any sectors of later changes. A name is as before or as after a change until its folder is
 * synced; both names of a rename are the same. The sync of a file or a folder makes its creation permanent, and those of the folders
 * above it, as in the journal of ext4, which has them in this order; not a rename.
 * fsync(2); https://www.usenix.org/system/files/conference/osdi14/osdi14-paper-pillai.pdf
 */
export class Disk {
  readonly #path: string
  #root = new Folder()
  #nameChanges: NameChange[] = []
  /** How many changes there were, of files and of names. */
  #count = 0

  /** The folder is empty, or not there yet. */
  constructor(path: string) {
    this.#path = path
  }

  /** Without its last part, a record is that of a process that was killed there. The calls that were under way then. */
  replay(steps: readonly Step[]): Call[] {
    const underWay = new Map<Call, (result: number) => void>()
    for (const step of steps) {
      if ('begins' in step) underWay.set(step.begins, this.#begin(step.begins))
      else {
        underWay.get(step.ends)?.(step.result)
        underWay.delete(step.ends)
      }
    }
    return [...underWay.keys()]
  }

  /** What it holds when the power is cut, while calls were under way. */
  cut(random: Random, underWay: readonly Call[] = []): Tree {
    // Not synced, they are lost, left, or left in part.
    for (const call of underWay) if (call.does !== 'sync') this.#apply(call)
    const left = new Map<Folder, Names>()
    const namesLeft = (folder: Folder) => {
      const names = left.get(folder) ?? new Map(folder.syncedNames)
      left.set(folder, names)
      return names
    }
    const leftChance = random.pick([0, 1, random.next()])
    for (const { names } of this.#nameChanges) {
      if (random.chance(leftChance)) for (const each of names) setName(namesLeft(each.folder), each)
    }
    const contents = new Map<DiskFile, Uint8Array>()
    return treeOf(this.#root, namesLeft, (file) => {
      const bytes = contents.get(file) ?? file.bytesAfterCut(random)
      contents.set(file, bytes)
      return bytes
    })
  }

  /** Goes on after a process, killed or not; the folder shows what became of calls under way. */
  follow(steps: readonly Step[]): void {
    for (const call of this.replay(steps)) {
      if (call.does === 'write' && existsSync(call.path)) {
        const at = this.#positionOf(call)
        const data = readFileSync(call.path).subarray(at, at + call.data.length)
        this.#apply({ ...call, at, data })
      } else if (isDone(call)) this.#apply(call)
    }
    this.#verify()
  }

  /** Leaves in the folder what a power cut leaves. */
  cutPower(random: Random): void {
    const tree = this.cut(random)
    writeTree(this.#path, tree)
    this.#nameChanges = []
    this.#root = new Folder()
    for (const [path, bytes] of tree) {
      const { folder, name } = this.#placeOf(join(this.#path, path)) ?? { folder: this.#root, name: path }
      const node = bytes ? new DiskFile(bytes) : new Folder()
      for (const names of [folder.names, folder.syncedNames]) names.set(name, node)
    }
  }

  /** What it does when it ends. */
  #begin(call: Call): (result: number) => void {
    if (call.does !== 'sync') return (result) => this.#apply(call, result)
    const [nodes, count] = [this.#nodesOn(call.path), this.#count]
    return () => this.#sync(nodes, count)
  }

  /** Of the last of the nodes, which are in each other, the changes up to this one. */
  #sync(nodes: readonly Node[], count: number): void {
    const synced = nodes.at(-1)
    if (synced instanceof DiskFile) synced.sync(count)
    const permanent: Name[] = []
    const changes = new Set<NameChange>()
    for (const change of this.#nameChanges.toReversed()) {
      const isSynced = ({ folder, node }: Name) =>
        folder === synced || (change.isCreation && node && nodes.includes(node))
      const isBeforeOther = ({ folder, name }: Name) => permanent.some((it) => it.folder === folder && it.name === name)
      if (change.number > count || !change.names.some((name) => isSynced(name) || isBeforeOther(name))) continue
      permanent.unshift(...change.names)
      changes.add(change)
    }
    for (const name of permanent) setName(name.folder.syncedNames, name)
    this.#nameChanges = this.#nameChanges.filter((change) => !changes.has(change))
  }

  #apply(call: Call, result?: number): void {
    const node = this.#nodesOn(call.path).at(-1)
    if (call.does === 'open') this.#open(call)
    else if (call.does === 'make folder' && !node) this.#name(true, [call.path, new Folder()])
    else if (call.does === 'remove') this.#name(false, [call.path, undefined])
    else if (call.does === 'link') this.#name(false, [call.path, this.#nodesOn(call.from).at(-1)])
    else if (call.does === 'rename') {
      this.#name(false, [call.from, undefined], [call.path, this.#nodesOn(call.from).at(-1)])
    } else if (call.does === 'resize') this.#change(node, { size: call.size })
    else if (call.does === 'write') {
      this.#change(node, { at: this.#positionOf(call), data: call.data.subarray(0, result) })
    }
  }

  #open({ path, flags }: CallOf<'open'>): void {
    const node = this.#nodesOn(path).at(-1)
    if (!node && flags.includes('O_CREAT')) this.#name(true, [path, new DiskFile()])
    if (flags.includes('O_TRUNC')) this.#change(node, { size: 0 })
  }

  #change(node: Node | undefined, change: Change): void {
    if (node instanceof DiskFile) node.change(++this.#count, change)
  }

  /** What writes in the midst of a file, says where: SQLite does. */
  #positionOf({ at, path }: CallOf<'write'>): number {
    const node = this.#nodesOn(path).at(-1)
    return at ?? (node instanceof DiskFile ? node.sizeBytes : 0)
  }

  #name(isCreation: boolean, ...paths: readonly [string, Node | undefined][]): void {
    const names = paths.flatMap(([path, node]) => {
      const place = this.#placeOf(path)
      return place ? [{ ...place, node }] : []
    })
    for (const each of names) setName(each.folder.names, each)
    this.#nameChanges.push({ number: ++this.#count, isCreation, names })
  }

  /** Undefined outside of the folder. */
  #placeOf(path: string): { folder: Folder; name: string } | undefined {
    const folder = path === this.#path ? undefined : this.#nodesOn(dirname(path)).at(-1)
    return folder instanceof Folder ? { folder, name: basename(path) } : undefined
  }

  /** From the folder itself to what has this path; none if nothing has. */
  #nodesOn(path: string): Node[] {
    const nodes: Node[] = [this.#root]
    for (const name of relative(this.#path, path).split('/')) {
      if (name === '') return nodes
      const above = nodes.at(-1)
      const node = above instanceof Folder ? above.names.get(name) : undefined
      if (!node) return []
      nodes.push(node)
    }
    return nodes
  }

  /** A call that is not recorded, such as a write to mapped memory, would make the power cut a fiction. */
  #verify(): void {
    const namesOf = ({ names }: Folder) => names
    const seen = treeOf(this.#root, namesOf, (file) => file.bytes())
    const real = readTree(this.#path)
    for (const path of new Set([...seen.keys(), ...real.keys()])) {
      const [expected, found] = [seen.get(path), real.get(path)]
      const isSame = expected && found ? Buffer.compare(expected, found) === 0 : expected === found
      if (!isSame || seen.has(path) !== real.has(path)) {
        const [given, is] = [expected?.length, found?.length]
        const at = expected?.findIndex((byte, index) => byte !== found?.[index])
        throw new Error(`the calls do not explain ${path}: ${given} bytes, found ${is}, other from byte ${at}`)
      }
    }
  }
}

function setName(names: Names, { name, node }: Name): void {
  if (node) names.set(name, node)
  else names.delete(name)
}

type Namespace = (folder: Folder) => Names

function treeOf(root: Folder, namesOf: Namespace, bytesOf: (file: DiskFile) => Uint8Array): Tree {
  const tree = new Map<string, Uint8Array | undefined>()
  const add = (folder: Folder, path: string) => {
    for (const [name, node] of namesOf(folder)) {
      if (SHARED_MEMORY.test(name)) continue
      tree.set(join(path, name), node instanceof DiskFile ? bytesOf(node) : undefined)
      if (node instanceof Folder) add(node, join(path, name))
    }
  }
  add(root, '')
  return tree
}

export function writeTree(folder: string, tree: Tree): void {
  const off = Date.now() / 1000 - SECONDS_OFF
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o700 })
  for (const [path, bytes] of tree) {
    const file = join(folder, path)
    if (!bytes) mkdirSync(file, { mode: 0o700 })
    else {
      writeFileSync(file, bytes, { mode: 0o600 })
      utimesSync(file, off, off)
    }
  }
}

function readTree(folder: string): Tree {
  const tree = new Map<string, Uint8Array | undefined>()
  if (!existsSync(folder)) return tree
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!SHARED_MEMORY.test(path)) tree.set(relative(folder, path), entry.isFile() ? readFileSync(path) : undefined)
  }
  return tree
}

function isDone(call: Call): boolean {
  if (call.does === 'sync') return false
  if (call.does === 'rename') return !existsSync(call.from)
  if (call.does === 'resize') return statSync(call.path, { throwIfNoEntry: false })?.size === call.size
  return existsSync(call.path) === (call.does !== 'remove')
}
