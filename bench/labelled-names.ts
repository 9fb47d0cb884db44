import { type Random, randomFrom } from '../test/torture/random.ts'

/** Two names, and whether they are of one person. */
export interface LabelledPair {
  readonly one: string
  readonly other: string
  readonly isSame: boolean
  /** How the second was made of the first. */
  readonly kind: string
}

/** Written as their owners write them, with one common transliteration. */
const FIRST_NAMES =
  `Anna Hannah Jonas Lukas Sophie Maximilian Charlotte Elias Emilia Felix Katharina Sebastian Johanna Matthias Elisabeth
Alexander Friedrich Ursula Wolfgang Heike Jürgen Günther Björn Sören Zoë Noémie François Chloé Benoît Thérèse José María Joaquín Lucía
Andrés Inés Álvaro Begoña João Conceição Gonçalo Giovanni Beatrice Lorenzo Francesca Alessandro Chiara Stefano Łukasz Małgorzata Zbigniew
Agnieszka Wojciech Katarzyna Přemysl Jiří Zdeněk Tomáš Lenka Ágnes István Gábor Zsófia Øystein Åse Bjørn Kåre Ragnhild Søren Jørgen Åsa
Görel Hüseyin Ayşe Çağla Şahin Gülsüm Ştefan Ionuţ Mihaela Đorđe Željko Nataša Dimitrios Ioannis Eleni Georgios Mohammed Fatima Youssef
Khadija Abdullah Zainab Mustafa Samira Rajesh Priya Sanjay Lakshmi Venkatesh Deepika Hiroshi Yuki Kenji Sakura Takeshi Michael Jennifer
Christopher Jessica Matthew Elizabeth Andrew Stephanie Jonathan Rebecca Benjamin Samantha Nicholas Victoria Gregory Margaret Kimberly
Donald Patricia Timothy Barbara Kenneth Dorothy Lawrence Virginia Raymond Catherine Douglas Philip Theresa Geoffrey Nigel Fiona Siobhan`
    .split(/\s+/)
    .filter(Boolean)

const LAST_NAMES =
  `Müller Schneider Fischer Hoffmann Schäfer Köhler Großmann Krämer Böhm Weiß Zimmermann Schröder Lehmann Dvořák Novotný
Svoboda Procházka Kowalski Wiśniewski Wójcik Kamiński Zieliński Szymański Dąbrowski Nagy Szabó Tóth Horváth Kovács García Rodríguez
Fernández Hernández Gutiérrez Jiménez Ibáñez Núñez Gonçalves Araújo Guimarães Ribeiro Rossi Esposito Bianchi Colombo Ricci Marchetti
Lefèvre Beauchêne Dubois Rousseau Delacroix Poincaré Andersson Johansson Lindström Söderberg Øverland Håkonsen Kristoffersen Jørgensen
Rasmussen Mikkelsen Yılmaz Öztürk Çelik Şimşek Popescu Ionescu Stănescu Petrović Jovanović Đurić Papadopoulos Georgiou Nikolaidis Haddad
Mansour Khalil Benali Hussein Rahman Chaudhry Patel Sharma Krishnan Banerjee Mukherjee Nakamura Takahashi Yamamoto Kobayashi Williams
Johnson Thompson Anderson Robinson Harrison Mitchell Campbell Phillips Crawford Henderson Gallagher MacDonald Fitzgerald Blackwood
Whitfield Kingsley Ashworth Pemberton Holloway Sutherland Montgomery Abernathy Featherstone Winterbourne Callaghan Drummond Ellsworth`
    .split(/\s+/)
    .filter(Boolean)

/** One name in Cyrillic and in three ways of writing it in Latin letters. */
const CYRILLIC_FIRST: readonly (readonly string[])[] = [
  ['Сергей', 'Sergey', 'Sergei', 'Sergej'],
  ['Юрий', 'Yuri', 'Yury', 'Jurij'],
  ['Алексей', 'Alexey', 'Aleksei', 'Alexej'],
  ['Дмитрий', 'Dmitry', 'Dmitri', 'Dmitrij'],
  ['Наталья', 'Natalya', 'Natalia', 'Natalja'],
  ['Евгений', 'Evgeny', 'Yevgeny', 'Jewgenij'],
  ['Андрей', 'Andrey', 'Andrei', 'Andrej'],
  ['Ксения', 'Ksenia', 'Xenia', 'Kseniya'],
]
const CYRILLIC_LAST: readonly (readonly string[])[] = [
  ['Иванов', 'Ivanov', 'Iwanow', 'Ivanoff'],
  ['Чайковский', 'Chaikovsky', 'Tchaikovsky', 'Tschaikowski'],
  ['Хрущёв', 'Khrushchev', 'Chruschtschow', 'Hruschev'],
  ['Шевченко', 'Shevchenko', 'Schewtschenko', 'Chevchenko'],
  ['Васильев', 'Vasilyev', 'Vasiliev', 'Wassiljew'],
  ['Жуков', 'Zhukov', 'Jukov', 'Schukow'],
  ['Королёв', 'Korolyov', 'Korolev', 'Koroljow'],
  ['Яковлев', 'Yakovlev', 'Iakovlev', 'Jakowlew'],
]

/** Two people, of whom most systems and some colleagues make one. */
const OTHER_FIRST: readonly (readonly [string, string])[] = [
  ['Anna', 'Hanna'],
  ['Mario', 'Maria'],
  ['Paul', 'Paula'],
  ['Tim', 'Tom'],
  ['Jan', 'Jana'],
  ['Daniel', 'Daniela'],
  ['Julian', 'Juliane'],
  ['Martin', 'Martina'],
  ['Karl', 'Karla'],
  ['Robert', 'Roberta'],
  ['Marc', 'Marie'],
  ['Lena', 'Lene'],
  ['Simon', 'Simone'],
  ['Andreas', 'Andrea'],
  ['Michael', 'Michaela'],
  ['Stefan', 'Stefanie'],
  ['Christian', 'Christina'],
  ['Eric', 'Erica'],
  ['Patrick', 'Patricia'],
  ['Alexander', 'Alexandra'],
  ['Gabriel', 'Gabriela'],
  ['Joan', 'John'],
  ['Ellen', 'Helen'],
  ['Ben', 'Bea'],
]
const OTHER_LAST: readonly (readonly [string, string])[] = [
  ['Meier', 'Beier'],
  ['Lang', 'Lange'],
  ['Fischer', 'Tischer'],
  ['Wagner', 'Wegner'],
  ['Hansen', 'Jansen'],
  ['Petersen', 'Pedersen'],
  ['Olson', 'Nolson'],
  ['Richter', 'Rechter'],
  ['Kramer', 'Kremer'],
  ['Martin', 'Marten'],
  ['Roth', 'Rother'],
  ['Brandt', 'Brand'],
  ['Harrison', 'Garrison'],
  ['Becker', 'Decker'],
  ['Stone', 'Stoner'],
  ['Carter', 'Carver'],
  ['Walker', 'Walter'],
  ['Miller', 'Millar'],
  ['Johnson', 'Johnston'],
  ['Thomson', 'Thompson'],
  ['Peters', 'Peterson'],
  ['Roberts', 'Robertson'],
  ['Stevens', 'Stevenson'],
]

/** Neighbours on a keyboard, for slips of a finger. */
const NEAR: Readonly<Record<string, string>> = {
  a: 'sq',
  b: 'vn',
  c: 'xv',
  d: 'sf',
  e: 'wr',
  f: 'dg',
  g: 'fh',
  h: 'gj',
  i: 'uo',
  j: 'hk',
  k: 'jl',
  l: 'k',
  m: 'n',
  n: 'bm',
  o: 'ip',
  p: 'o',
  r: 'et',
  s: 'ad',
  t: 'ry',
  u: 'yi',
  v: 'cb',
  w: 'qe',
  x: 'zc',
  y: 'tu',
  z: 'x',
}

type Change = (random: Random) => readonly [one: string, other: string]

/** The same person, written twice. */
const SAME: Readonly<Record<string, Change>> = {
  'one typo': (random) => changed(random, (first, last) => oneTypo(random, first, last)),
  'two typos': (random) => changed(random, (first, last) => `${typo(random, first)} ${typo(random, last)}`),
  transliteration: (random) => {
    const [first, last] = [random.pick(CYRILLIC_FIRST), random.pick(CYRILLIC_LAST)]
    const spelt = () => `${random.pick(first)} ${random.pick(last)}`
    return [spelt(), spelt()]
  },
  diacritics: (random) => changed(random, (first, last) => plain(random, `${first} ${last}`)),
  swapped: (random) =>
    changed(random, (first, last) => (random.chance(0.5) ? `${last}, ${first}` : `${last} ${first}`)),
  'middle name': (random) => changed(random, (first, last) => `${first} ${random.pick(FIRST_NAMES)} ${last}`),
  initial: (random) => changed(random, (first, last) => `${first.slice(0, 1)}. ${last}`),
  'case and title': (random) =>
    changed(random, (first, last) =>
      random.pick([`Dr. ${first} ${last}`, `${first} ${last}`.toUpperCase(), ` ${first}  ${last} `]),
    ),
}

/** Two people. */
const DIFFERENT: Readonly<Record<string, Change>> = {
  'first name alike': (random) => alike(random, OTHER_FIRST, (name) => `${name} ${random.pick(LAST_NAMES)}`),
  'last name alike': (random) => {
    const first = random.pick(FIRST_NAMES)
    const [one, other] = random.pick(OTHER_LAST)
    return [`${first} ${one}`, `${first} ${other}`]
  },
  relatives: (random) => {
    const last = random.pick(LAST_NAMES)
    const [one, other] = two(random, FIRST_NAMES)
    return [`${one} ${last}`, `${other} ${last}`]
  },
  namesakes: (random) => {
    const first = random.pick(FIRST_NAMES)
    const [one, other] = two(random, LAST_NAMES)
    return [`${first} ${one}`, `${first} ${other}`]
  },
}

/** 2,000 pairs, half of them of one person, the same for the same seed. */
export function labelledPairs(seed = 20, count = 2000): readonly LabelledPair[] {
  const random = randomFrom(seed)
  const of = (kinds: Readonly<Record<string, Change>>, isSame: boolean) =>
    Array.from({ length: count / 2 }, (_, at): LabelledPair => {
      const names = Object.keys(kinds)
      const kind = names[at % names.length] ?? ''
      const [one, other] = kinds[kind]?.(random) ?? ['', '']
      return { one, other, isSame, kind }
    })
  return [...of(SAME, true), ...of(DIFFERENT, false)]
}

/** People as a CRM has them: one in a hundred twice, with a typo or the name turned round. */
export function* manyNames(count: number, seed = 7): Generator<string> {
  const random = randomFrom(seed)
  let before = 'Ada Lovelace'
  for (let at = 0; at < count; at++) {
    if (at % 100 === 99) {
      const [first = '', last = ''] = before.split(' ')
      yield random.chance(0.5) ? `${last}, ${first}` : oneTypo(random, first, last)
      continue
    }
    // A third of all people have one of the frequent names.
    const last = random.chance(0.33) ? random.pick(LAST_NAMES) : rareName(random)
    before = `${random.pick(FIRST_NAMES)} ${last}`
    yield before
  }
}

const STARTS =
  'Al Bar Ber Bor Bran Cal Cor Dal Dem Dor El Fal Fen Gar Ger Gol Hal Har Hol Jan Kal Ker Kor Lan Lem Lor Mal Mer Mon Nor Ol Pal Per Pol Ran Rem Ros Sal Ser Sol Tal Tem Tor Val Ver Vol Wal Wen Wil Zan'.split(
    ' ',
  )
const MIDDLES =
  'a ad am an ar as bo de di do e en er gu i im in is ka ko la le li lo ma mi mo na ne ni no o on or pa ra re ri ro sa se ta te to u va'.split(
    ' ',
  )
const ENDS =
  'berg burn cott dal den der dorf ev ez ford gard ham ic ini itz kov ley man mann mer nen ner nes off one ova ovic quist raz rell ron sen ski son stad stein ston sson tal ters ton topp vall veld vik ward well wick witz wood'.split(
    ' ',
  )

/** One of a hundred thousand. */
function rareName(random: Random): string {
  return random.pick(STARTS) + random.pick(MIDDLES) + random.pick(ENDS)
}

function changed(random: Random, change: (first: string, last: string) => string): readonly [string, string] {
  const [first, last] = [random.pick(FIRST_NAMES), random.pick(LAST_NAMES)]
  return [`${first} ${last}`, change(first, last)]
}

function alike(random: Random, pairs: typeof OTHER_FIRST, whole: (name: string) => string): readonly [string, string] {
  const [one, other] = random.pick(pairs)
  const last = whole('').trim()
  return [`${one} ${last}`, `${other} ${last}`]
}

function two(random: Random, list: readonly string[]): readonly [string, string] {
  const at = random.between(0, list.length - 1)
  const other = (at + random.between(1, list.length - 1)) % list.length
  return [list[at] ?? '', list[other] ?? '']
}

function oneTypo(random: Random, first: string, last: string): string {
  return random.chance(0.4) ? `${typo(random, first)} ${last}` : `${first} ${typo(random, last)}`
}

/** A letter left out, doubled, replaced by its neighbour on the keyboard, or swapped with the next one. */
function typo(random: Random, word: string): string {
  const at = random.between(1, word.length - 1)
  const [before, letter, after] = [word.slice(0, at), word.slice(at, at + 1), word.slice(at + 1)]
  const near = random.pick([...(NEAR[letter.toLowerCase()] ?? 'e')])
  return random.pick([
    before + after,
    before + letter + letter + after,
    before + near + after,
    before + after.slice(0, 1) + letter + after.slice(1),
  ])
}

const GERMAN: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
  Ä: 'Ae',
  Ö: 'Oe',
  Ü: 'Ue',
  ø: 'oe',
  å: 'aa',
}

/** Without accents, as forms that know ASCII alone have it, or as Germans write umlauts there. */
function plain(random: Random, name: string): string {
  const german = random.chance(0.5) ? name.replace(/[äöüßÄÖÜøå]/g, (letter) => GERMAN[letter] ?? letter) : name
  const bare = german.normalize('NFD').replace(/\p{M}/gu, '')
  return bare.replace(
    /[łŁøØđĐıß]/g,
    (letter) => ({ ł: 'l', Ł: 'L', ø: 'o', Ø: 'O', đ: 'd', Đ: 'D', ı: 'i', ß: 'ss' })[letter] ?? letter,
  )
}
