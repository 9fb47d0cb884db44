/** In place of a truncated body. Not in decode.ts, which is loaded on first use. */
export const CUT = 'the compressed answer ends too early'
