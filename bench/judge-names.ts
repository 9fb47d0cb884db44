import { SimilarNames } from '../src/duplicates/similar-names.ts'
import { type LabelledPair, labelledPairs } from './labelled-names.ts'

/** `node bench/judge-names.ts`: how well the similarity of names tells 2,000 labelled pairs apart, by threshold and by kind of pair. */
const THRESHOLDS = [0.8, 0.84, 0.86, 0.88, 0.9, 0.92, 0.94, 0.96]
const SHOWN = 0.92

const pairs = labelledPairs()
const scores = pairs.map(scoreOf)

/** As the search finds it: 0 for a pair that shares no block, however similar its names. */
function scoreOf({ one, other }: LabelledPair): number {
  const names = new SimilarNames()
  names.add(one.toLowerCase(), '')
  names.add(other.toLowerCase(), '')
  return names.pairs(0)[0]?.score ?? 0
}

console.log('threshold  precision  recall')
for (const threshold of THRESHOLDS) {
  const found = pairs.filter((_, at) => (scores[at] ?? 0) >= threshold)
  const right = found.filter(({ isSame }) => isSame).length
  const same = pairs.filter(({ isSame }) => isSame).length
  console.log(
    `${threshold.toFixed(2).padEnd(9)}  ${(right / found.length).toFixed(3).padEnd(9)}  ${(right / same).toFixed(3)}`,
  )
}

console.log(`\nfound at ${SHOWN}, by kind of pair`)
for (const [kind, own] of Map.groupBy(pairs.entries(), ([, pair]) => pair.kind)) {
  const found = own.filter(([at]) => (scores[at] ?? 0) >= SHOWN).length
  console.log(`${own[0]?.[1].isSame ? 'same     ' : 'different'}  ${kind.padEnd(17)} ${found} of ${own.length}`)
}
if (process.argv.includes('--misses'))
  for (const [at, { one, other, isSame, kind }] of pairs.entries()) {
    const score = scores[at] ?? 0
    if (score >= SHOWN !== isSame) console.log(`${kind}: ${one} / ${other}: ${score.toFixed(3)}`)
  }
