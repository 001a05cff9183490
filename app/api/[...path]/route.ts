import { problem } from '#server/http/problem.ts';

/** Only what came before the HTTP server was ready to answer it itself (server/http/server.ts) gets as far as here. */
const starting = () => problem('unavailable', 'The server is starting.', undefined, { 'retry-after': '1' });

export {
  starting as DELETE,
  starting as GET,
  starting as OPTIONS,
  starting as PATCH,
  starting as POST,
  starting as PUT,
};
