/** In place of a body: what came of it ends too early. Apart from decode.ts, which is loaded only where it is needed. */
export const CUT = 'the compressed answer ends too early'
