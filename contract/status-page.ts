import { z } from 'zod';
import { Tag } from './target.ts';

/** Most status pages of an installation. */
export const MAX_STATUS_PAGES = 100;

export const StatusPageCreate = z
  .strictObject({
    title: z.string().trim().min(1).max(200),
    tag: Tag.nullable().default(null).meta({ description: 'of the targets with this tag; null for all targets' }),
  })
  .meta({ id: 'StatusPageCreate' });
export type StatusPageCreate = z.infer<typeof StatusPageCreate>;

export const StatusPage = z
  .object({ id: z.uuid(), title: z.string(), tag: z.string().nullable(), createdAt: z.iso.datetime() })
  .meta({ id: 'StatusPage' });
export type StatusPage = z.infer<typeof StatusPage>;

/** The path is shown this once: the token in it is kept as a hash. */
export const StatusPageCreated = StatusPage.extend({
  path: z.string().meta({ description: 'of the page; `…/wall` is for a screen in a room, `…/badge.svg` a badge' }),
}).meta({ id: 'StatusPageCreated' });
export type StatusPageCreated = z.infer<typeof StatusPageCreated>;
