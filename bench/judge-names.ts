import { SimilarNames } from '../src/duplicates/similar-names.ts'
import { heldOutPairs } from './held-out-names.ts'
import { type LabelledPair, labelledPairs } from './labelled-names.ts'

/**
 * `node bench/judge-names.ts`: how well the similarity of names tells 2,000 labelled pairs apart, by threshold and by kind of pair, and
 * 100 others that had no part in the choice of the measure.
 */
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

function printTable(title: string, judged: readonly LabelledPair[]): void {
  const ofPairs = judged.map(scoreOf)
  const same = judged.filter(({ isSame }) => isSame).length
  console.log(`${title}\nthreshold  precision  recall`)
  for (const threshold of THRESHOLDS) {
    const found = judged.filter((_, at) => (ofPairs[at] ?? 0) >= threshold)
    const right = found.filter(({ isSame }) => isSame).length
    const [precision, recall] = [(right / found.length).toFixed(3), (right / same).toFixed(3)]
    console.log(`${threshold.toFixed(2).padEnd(9)}  ${precision.padEnd(9)}  ${recall}`)
  }
}

printTable('2,000 labelled pairs', pairs)
printTable('\n100 held-out pairs', heldOutPairs())

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
