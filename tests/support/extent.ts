/** Whether the tests run to their full extent: `npm run test:long`. `npm test` takes the bounded one. */
export const isLong = process.env.TEST_LONG === '1';

/** Of a count, a list or a time, the one for this run. */
export const extent = <T>(bounded: T, full: T): T => (isLong ? full : bounded);
