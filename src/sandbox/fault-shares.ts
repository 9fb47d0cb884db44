/** Percent of requests by kind of fault: `{ 500: 2, 'reset-after': 1 }`. */
export type FaultShares = Readonly<Record<string, number>>
