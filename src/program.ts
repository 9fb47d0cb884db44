import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { Command, CommanderError } from 'commander'
import { commandLine, withProfileHint, withRepeatHint } from './commands/command-line.ts'
import { addCommands, examples } from './commands/command-tree.ts'
import { COMMAND_NAMES, loadCommands } from './commands/commands.ts'
import { addGlobalFlags, commandPath, isFormatOpen, readGlobalFlags } from './commands/flags.ts'
import type { GlobalFlags } from './commands/global-flags.ts'
import { findHelpTopic, HELP_TOPIC_NAMES, HELP_TOPICS, type HelpTopicName, topicText } from './commands/help/topics.ts'
import { type Act, type Context, createContext } from './context.ts'
import { TAB_SCREENS } from './core/browse-screens.ts'
import { CrmError, Uncaught } from './core/errors.ts'
import { EXIT, exitAfter } from './core/exit.ts'
import { nearest } from './core/nearest.ts'
import { createGrowingRedactor, createRedactor } from './core/redact.ts'
import type { ResourceDefinition } from './core/resources/field.ts'
import { RESOURCES, resourceNamed } from './core/resources/registry.ts'
import { type Io, type OutputStream, writeText } from './core/streams.ts'
import type { Host } from './host.ts'
import { reportError } from './output/report.ts'
import { writeNoteLine } from './output/safe-text.ts'
import { hasKeptObjects, hasServer } from './settings/objects-file.ts'
import { type RepositoryFile, readRepositoryFile } from './settings/repository-file.ts'

/** Runs one command line. What goes wrong becomes text on stderr and an exit code here; only a stdout that fails is left to `main.ts`. */
export async function run(argv: readonly string[], host: Host): Promise<number> {
  const secrets = new Set<string>()
  const io: Io = {
    get stdin() {
      return host.io.stdin
    },
    stdout: host.io.stdout,
    stderr: redactedStream(host.io.stderr, secrets),
  }
  let exit: number = EXIT.ok
  const act: Act =
    (work) =>
    async (...args) => {
      const leaf = args.at(-1) as unknown as Command
      const given = readGlobalFlags(leaf)
      const repository = repositoryReader({ ...host, io }, given)
      const output = isFormatOpen(leaf) ? (await repository())?.output : undefined
      const flags = output === undefined ? given : { ...given, output }
      const ctx = createContext({ ...host, io }, flags, repository, {
        addSecret: (secret) => secrets.add(secret),
        redact: (text) => createRedactor(secrets).foreign(text),
      })
      if (flags.isDryRun || flags.isExitCodeWanted) host.keepExitCode?.()
      try {
        // What is no expression is found before anything is sent or written.
        await ctx.expr()
        exit = (await work(ctx, ...args)) ?? EXIT.ok
      } catch (error) {
        throw withProfileHint(withRepeatHint(error, ctx.argv, ctx.flags), ctx.argv)
      } finally {
        await ctx.close()
      }
    }
  try {
    const [first, word = '', ...more] = argv
    await defineObjects({ ...host, io }, argv, (secret) => secrets.add(secret))
    const program = await buildProgram({ ...host, io }, act, argv)
    const topic = first === 'help' && more.length === 0 ? findHelpTopic(word) : undefined
    if (topic !== undefined) return await showTopic(io, program, topic)
    if (first === 'help' && argv.includes('--json')) return await listCommands(io, program, argv.slice(1))
    await program.parseAsync(first === 'help' ? helpWords(program, argv.slice(1)) : argv, { from: 'user' })
    return exit
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    const failed = reportError(io.stderr, reported(host.signal, error, argv), argv)
    return failed === EXIT.interrupted ? exitAfter((host.signal.reason as Error | undefined)?.cause) : failed
  }
}

function reported(signal: AbortSignal, error: unknown, argv: readonly string[]): unknown {
  if (error instanceof Uncaught) return error.cause
  return signal.aborted ? interruption(signal, error, argv) : error
}

/** The nouns of the server that `argv` is about, if commands are to be made of them. */
async function defineObjects(host: Host, argv: readonly string[], addSecret: Context['addSecret']): Promise<void> {
  const early = new Command().exitOverride().configureOutput({ writeErr: () => {} })
  addGlobalFlags(early)
  let isHelp = true
  try {
    const { operands } = early.parseOptions([...argv])
    // Their own database says what objects it has.
    if (operands[0] === 'serve' || operands[0] === 'sandbox') return
    const isAll = isOverAll(operands, argv)
    const noun = isAll ? operands[0] : nounIn(operands)
    isHelp = !isAll && (operands.length < 2 || operands[0] === 'help')
    if ((noun === undefined || !hasServer(host.env)) && !hasKeptObjects(host.env)) return
    const { defineServerObjects } = await import('./commands/server-objects.ts')
    const flags = readGlobalFlags(early)
    const repository = repositoryReader(host, { ...flags, isQuiet: true, isDebug: false })
    const ctx = createContext(host, flags, repository, { addSecret, redact: (text) => text })
    ctx.setNotes(() => {})
    try {
      await defineServerObjects(ctx, noun)
    } finally {
      await ctx.close()
    }
  } catch (error) {
    // The command line is read again below, which reports its mistakes; help needs no server.
    const isLater = error instanceof CrmError ? isHelp || error.code === 'usage' : error instanceof CommanderError
    if (!isLater) throw error
  }
}

/** Whether the command is about the records of every object, so that none may be missing. */
function isOverAll([first, second]: readonly string[], argv: readonly string[]): boolean {
  const has = (flag: string) => argv.some((word) => word === flag || word.startsWith(`${flag}=`))
  const isAll = first === 'reassign' || (first === 'report' && has('--of')) || (second === 'merge' && first !== 'help')
  return isAll && !has('--help') && !has('-h')
}

/** The word that names an object of the server, if it names anything. */
function nounIn([first = 'help', second]: readonly string[]): string | undefined {
  const isNamed = first === 'records' || first === 'fields' || first === 'browse'
  const word = first === 'help' || isNamed ? second : first
  if (word === undefined || !/^[a-z][a-z0-9_]*$/.test(word)) return undefined
  const isTab = first === 'browse' && TAB_SCREENS.some((each) => each === word)
  if (isNamed) return isTab || resourceNamed(word) ? undefined : word
  return COMMAND_NAMES.includes(word) || nearest(word, COMMAND_NAMES) !== undefined ? undefined : word
}

/** Reads `.crm.toml` when it is first asked for. */
function repositoryReader({ folder, env, io }: Host, { isQuiet, isDebug }: GlobalFlags): Context['repository'] {
  let reading: Promise<RepositoryFile | undefined> | undefined
  const say = (line: string) => writeNoteLine(io.stderr, line)
  const read = async () => {
    const file = folder === undefined ? undefined : readRepositoryFile(folder, env, isQuiet ? () => {} : say)
    if (file && isDebug)
      say(
        `debug: read ${file.path}: profile ${file.profile ?? '-'}, output ${file.output ?? '-'}${file.connector === undefined ? '' : `, connector ${file.connector}`}`,
      )
    return file
  }
  return () => {
    reading ??= read()
    return reading
  }
}

/** The command tree, or what `words` need of it; what `act` does with a command's work is up to the caller. */
export async function buildProgram(host: Host, act: Act, words: readonly string[] = []): Promise<Command> {
  const program = new Command('crm')
    .description('CRM administration from the command line')
    .version(`crm ${host.version}`, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .configureHelp({ showGlobalOptions: false, sortSubcommands: false })
    .configureOutput({
      writeOut: (text) => host.io.stdout.write(text),
      writeErr: (text) => host.io.stderr.write(text),
      getOutHelpWidth: () => host.io.stdout.columns ?? 100,
      getErrHelpWidth: () => host.io.stderr.columns ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText(
      'after',
      examples('crm serve', 'crm contacts list', 'crm auth login --base-url https://crm.example.com'),
    )
    .addHelpText('after', `\nHelp topics:\n${topicLines().join('\n')}`)
    .helpCommand('help [command...]', 'show help for a command, or on a topic; --json for programs')
    .exitOverride()
  addGlobalFlags(program)
  addCommands(program as CommandUnknownOpts, act, await loadCommands(words), words)
  throwUsageErrors(program)
  return program
}

function topicLines(): readonly string[] {
  const width = Math.max(...HELP_TOPIC_NAMES.map((name) => name.length))
  return HELP_TOPIC_NAMES.map((name) => `  crm help ${name.padEnd(width)}  ${HELP_TOPICS[name].summary}`)
}

async function showTopic({ stdout }: Io, program: Command, name: HelpTopicName): Promise<number> {
  const topic = await HELP_TOPICS[name].load(async () => (await import('./connector/json-schema.ts')).connectorSchema())
  await writeText(stdout, await topicText(topic, program.createHelp(), stdout.columns ?? 100))
  return EXIT.ok
}

async function listCommands({ stdout }: Io, program: Command, words: readonly string[]): Promise<number> {
  const { commandList } = await import('./commands/help/command-list.ts')
  const command = namedCommand(
    program,
    words.filter((word) => word !== '--json'),
  )
  await writeText(stdout, commandList(command))
  return EXIT.ok
}

/** `crm help contacts list` shows what `crm contacts list --help` does; words that name no command never run anything. */
function helpWords(program: Command, words: readonly string[]): readonly string[] {
  namedCommand(program, words)
  return [...words, '--help']
}

/** CrmError `usage` for a word that names none. */
function namedCommand(program: Command, words: readonly string[]): Command {
  let command = program
  for (const word of words) {
    const child = command.commands.find((each) => each.name() === word)
    if (!child) return refuseWord(command, word, command === program ? HELP_TOPIC_NAMES : [])
    command = child
  }
  return command
}

/** Commander would print its own wording and exit with 1; a usage error is one like any other here. */
function throwUsageErrors(command: Command): void {
  command.error = (message) => usageError(command, message.replace(/^error: /, ''))
  // Commander has its own idea of what is near, and calls these by their names.
  Object.assign(command, {
    unknownCommand: () => refuseWord(command, command.args[0] ?? '', []),
    // Of `crm serve kyes list`: serve does something itself, and has commands below it.
    ...(command.commands.length > 0 && { _excessArguments: ([word = '']) => refuseWord(command, word, []) }),
    unknownOption: (flag: string) => refuseFlag(command, flag),
  })
  for (const child of command.commands) throwUsageErrors(child.helpCommand(false) as Command)
}

function usageError(command: Command, message: string): never {
  throw new CrmError('usage', message, { hint: `${commandPath(command)} --help` })
}

/** Flags of a verb do not go before it: `crm contacts --limit 3 list`. */
function refuseFlag(command: Command, flag: string): never {
  const name = flag.replace(/=.*/s, '')
  const verbs = command.commands.filter(({ options }) => options.some(({ long }) => long === name))
  const verb = verbs.find((each) => command.args.includes(each.name()))
  if (verb) return usageError(verb, `${name} belongs after ${verb.name()}`)
  const known = [...command.options.flatMap(({ long }) => long ?? []), '--help']
  return usageError(
    command,
    `unknown option '${flag}'${question(name.startsWith('--') ? nearest(name, known) : undefined)}`,
  )
}

function refuseWord(command: Command, word: string, topics: readonly string[]): never {
  const known = [...command.commands.map((child) => child.name()), ...topics]
  const what = topics.length > 0 ? 'command or topic' : 'command'
  const meant = commandOfNoun(word, known) ?? nearest(word, known)
  return command.error(`unknown ${what} '${word}'${question(meant)}`)
}

/** The command for the records of a noun: `contacts` for `contact`, `pipelines stages` for `stage`. */
function commandOfNoun(word: string, known: readonly string[]): string | undefined {
  const nouns: readonly ResourceDefinition[] = Object.values(RESOURCES)
  const named = nouns.find(({ singular, plural }) => word === singular || word === plural)
  if (!named || known.includes(named.plural)) return named?.plural
  const [noun = '', ...verb] = named.commands?.list?.split(' ').slice(1) ?? []
  return known.includes(noun) ? [noun, ...verb].join(' ') : undefined
}

function question(meant: string | undefined): string {
  return meant === undefined ? '' : `; did you mean ${meant}?`
}

function interruption(signal: AbortSignal, error: unknown, argv: readonly string[]): CrmError {
  if (error instanceof CrmError && error.code === 'interrupted') return error
  return new CrmError('interrupted', 'interrupted', { cause: signal.reason, hint: commandLine(argv) })
}

function redactedStream(stream: OutputStream, secrets: ReadonlySet<string>): OutputStream {
  const redactor = createGrowingRedactor(secrets)
  return {
    // Bytes are a copy of a database, which holds secrets.
    write: (data) => stream.write(typeof data === 'string' ? redactor.own(data) : data),
    once: (event, listener) => stream.once?.(event, listener),
    get isTTY() {
      return stream.isTTY === true
    },
    get columns() {
      return stream.columns ?? 80
    },
  }
}
