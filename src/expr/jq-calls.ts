/**
 * What the value is that a part of a program sees as `.`: a place in the record, a list of such values, or undefined for
 * anything else, of which nothing is said.
 */
export type Sight = { readonly place: readonly string[] } | { readonly list: Sight } | undefined

export function elementOf(sight: Sight): Sight {
  return sight && 'list' in sight ? sight.list : undefined
}

function listOnly(sight: Sight): Sight {
  return sight && 'list' in sight ? sight : undefined
}

/** Reads the next argument as a part of the program that sees this, and gives what comes out of it. */
type ReadArgument = (sight: Sight) => Sight

type Call = (sight: Sight, argument: ReadArgument) => Sight

const same: Call = (sight) => sight
const nothing: Call = () => undefined

function onInput(count: number): Call {
  return (sight, argument) => {
    for (let at = 0; at < count; at++) argument(sight)
    return undefined
  }
}

function byElement(result: (sight: Sight) => Sight): Call {
  return (sight, argument) => {
    argument(elementOf(sight))
    return result(listOnly(sight))
  }
}

const beside: Call = (sight, argument) => {
  argument(sight)
  return sight
}

const second: Call = (sight, argument) => {
  argument(sight)
  return argument(sight)
}

const anyOrAll: Call = (sight, argument) => {
  argument(argument(sight))
  return undefined
}

/** `sub(re; text)`: the text sees what the pattern caught. */
const replace: Call = (sight, argument) => {
  argument(sight)
  argument(undefined)
  return undefined
}

/** Arguments that jq 1.7 evaluates on the input itself, and whose result is another value. */
const ON_INPUT: readonly string[] = [
  ...['test/1', 'test/2', 'startswith/1', 'endswith/1', 'contains/1', 'inside/1', 'has/1', 'in/1', 'IN/1', 'IN/2'],
  ...['split/1', 'split/2', 'join/1', 'ltrimstr/1', 'rtrimstr/1', 'index/1', 'rindex/1', 'indices/1', 'match/1'],
  ...['match/2', 'capture/1', 'scan/1', 'range/1', 'range/2', 'error/1', 'isempty/1', 'pick/1', 'older_than/1'],
  ...['strptime/1', 'strftime/1', 'pow/2', 'path/1', 'splits/1', 'capture/2', 'range/3', 'halt_error/1'],
]

const SAME: readonly string[] = [
  ...['values/0', 'nulls/0', 'booleans/0', 'numbers/0', 'strings/0', 'arrays/0', 'objects/0', 'iterables/0'],
  ...['scalars/0', 'debug/0'],
]

/** Functions of jq 1.7 by name and number of arguments; of all others nothing is said. */
const CALLS: ReadonlyMap<string, Call> = new Map<string, Call>([
  ...ON_INPUT.map((name): [string, Call] => [name, onInput(Number(name.split('/')[1]))]),
  ...SAME.map((name): [string, Call] => [name, same]),
  ['select/1', beside],
  ['debug/1', beside],
  ['map/1', (sight, argument) => listOf(argument(elementOf(sight)), sight)],
  ['any/1', byElement(() => undefined)],
  ['all/1', byElement(() => undefined)],
  ['any/2', anyOrAll],
  ['all/2', anyOrAll],
  ['sort_by/1', byElement((list) => list)],
  ['unique_by/1', byElement((list) => list)],
  ['group_by/1', byElement((list) => list && { list })],
  ['min_by/1', byElement(elementOf)],
  ['max_by/1', byElement(elementOf)],
  ['first/0', elementOf],
  ['last/0', elementOf],
  ['reverse/0', listOnly],
  ['sort/0', listOnly],
  ['unique/0', listOnly],
  ['first/1', (sight, argument) => argument(sight)],
  ['last/1', (sight, argument) => argument(sight)],
  ['limit/2', second],
  ['nth/2', second],
  ['sub/2', replace],
  ['gsub/2', replace],
])

function listOf(item: Sight, sight: Sight): Sight {
  return item && listOnly(sight) ? { list: item } : undefined
}

export function callOf(name: string, count: number): Call {
  return CALLS.get(`${name}/${count}`) ?? nothing
}
