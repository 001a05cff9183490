/** From the first to after the last instant, epoch seconds; nothing is judged before `warmUpEnd`. */
export type Span = { from: number; warmUpEnd: number; to: number };
