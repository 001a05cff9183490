import { v7 as uuid } from 'uuid';
import type { Page } from '#contract/problem.ts';
import type { PageQuery } from '#contract/query.ts';
import {
  MAX_STATUS_PAGES,
  type StatusPage,
  type StatusPageCreate,
  type StatusPageCreated,
} from '#contract/status-page.ts';
import type { StatusPage as Row } from '#prisma/generated/client.ts';
import { linkedId, mintLink } from '#server/access/share-links.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { pageOfRows, pageRange } from '#server/database/page.ts';
import { notFound, ServiceError } from '#server/environment/errors.ts';

/** Makes a status page. The answer alone holds its path. Throws `conflict` where there are as many as there may be. */
export async function createStatusPage(input: StatusPageCreate): Promise<StatusPageCreated> {
  const { path, hash } = mintLink('status_page');
  return await getPrisma().$transaction(async (tx) => {
    if ((await tx.statusPage.count()) >= MAX_STATUS_PAGES)
      throw new ServiceError('conflict', `There are ${MAX_STATUS_PAGES} status pages: delete one first.`);
    return { ...present(await tx.statusPage.create({ data: { id: uuid(), ...input, shareHash: hash } })), path };
  });
}

/** The status pages, oldest first. Throws `invalid` for a made-up cursor. */
export async function listStatusPages(query: PageQuery): Promise<Page<StatusPage>> {
  const { take, after } = pageRange(query);
  const rows = await getPrisma().statusPage.findMany({ where: { id: { gt: after } }, orderBy: { id: 'asc' }, take });
  return pageOfRows(rows, query, present);
}

/** Deletes a status page and ends its link. Throws `not_found`. */
export async function deleteStatusPage(id: string): Promise<void> {
  const { count } = await getPrisma().statusPage.deleteMany({ where: { id } });
  if (count === 0) throw notFound('status page', id);
}

/** The status page that a token opens; null where it opens none. */
export async function linkedStatusPage(token: string): Promise<StatusPage | null> {
  const id = await linkedId('status_page', token);
  const row = id === null ? null : await getPrisma().statusPage.findUnique({ where: { id } });
  return row && present(row);
}

const present = ({ id, title, tag, createdAt }: Row): StatusPage => ({
  id,
  title,
  tag,
  createdAt: createdAt.toISOString(),
});

/** The tags that targets have, in order. */
export async function listTags(): Promise<string[]> {
  const { rows } = await getPool().query<{ tag: string }>(
    'select distinct unnest(tags) as tag from target where deleted_at is null order by 1',
  );
  return rows.map(({ tag }) => tag);
}
