import { problem } from '#server/http/problem.ts';

/** Any path under /api that is none: a problem rather than the dashboard's page. */
const notFound = (request: Request) => problem('not_found', `There is no ${new URL(request.url).pathname}.`);

export {
  notFound as DELETE,
  notFound as GET,
  notFound as OPTIONS,
  notFound as PATCH,
  notFound as POST,
  notFound as PUT,
};
