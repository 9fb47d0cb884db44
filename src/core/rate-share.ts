/** The part of a server's rate limit that bulk work uses; the rest is for others. */
export const RATE_SHARE = 0.8
