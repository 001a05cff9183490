import { ServiceError } from '#server/environment/errors.ts';

/** A page of a list; a cursor that somebody made up shows the first page. */
export async function pageOrFirst<Query extends { cursor?: string | undefined }, Page>(
  list: (query: Query) => Promise<Page>,
  query: Query,
): Promise<Page> {
  try {
    return await list(query);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid' || query.cursor === undefined) throw error;
    const { cursor: _made, ...first } = query;
    return await list(first as Query);
  }
}
