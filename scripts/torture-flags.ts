import { Command, InvalidArgumentError } from 'commander'

/** The command of a rig, with the flags that each has. A wrong flag is exit 2: 1 says that the rig found a fault. */
export function rigCommand(name: string, description: string): Command {
  return new Command(`npm run ${name} --`)
    .description(description)
    .option('--kills <n>', 'how often something is killed', wholeNumber, 200)
    .option('--seed <n>', 'repeats an earlier run', wholeNumber, Date.now() % 1_000_000)
    .showHelpAfterError()
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It is not a whole number.')
  return Number(text)
}
