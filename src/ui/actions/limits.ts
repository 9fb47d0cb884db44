/** More changes than this are confirmed by typing their number. */
export const MOST_BY_KEY = 20
