// What is watched, and the checks that follow from it. The life of a target: it is created with an address that may be watched
// (`address.ts`) and settings that a probe can work with (`settings.ts`), whose secrets are kept sealed (`secrets.ts`). Each
// change rewrites its checks, one for every vantage that it selects (`checks.ts`), under a new revision, which is how probers
// learn of it (vantages/assignments.ts). What a target was before a change is kept a while (`former.ts`): results that were
// measured by then are still taken. A removed target keeps its row until its results are past their retention.

import { v7 as uuid } from 'uuid';
import type { Page } from '#contract/problem.ts';
import {
  type Target,
  type TargetCreate,
  type TargetPatch,
  type TargetsQuery,
  VantageSelector,
} from '#contract/target.ts';
import type { Target as Row } from '#prisma/generated/client.ts';
import { allowsPrivateAddresses } from '#server/access/private-addresses.ts';
import { shownUrl, unmaskedUrl } from '#server/access/secret-parameters.ts';
import { shownSettings, type Viewer } from '#server/access/secret-settings.ts';
import { getPrisma } from '#server/database/database.ts';
import { named, pageOfRows, pageRange } from '#server/database/page.ts';
import { invalidField, notFound } from '#server/environment/errors.ts';
import { refusePrivateTarget, sendsElsewhere } from './address.ts';
import { syncChecks } from './checks.ts';
import { formerAfter } from './former.ts';
import { openSettings, sealedSettings, settingsToChange, settingsToShow } from './secrets.ts';
import { acceptedSettings } from './settings.ts';

/** Targets that are not deleted, oldest first, as the viewer may see them. Throws `invalid` for a made-up cursor. */
export async function listTargets(query: TargetsQuery, viewer: Viewer = 'reader'): Promise<Page<Target>> {
  const { take, after } = pageRange(query);
  const rows = await getPrisma().target.findMany({
    where: {
      deletedAt: null,
      id: { gt: after, in: query.ids },
      ...named(query),
      ...(query.tag === undefined ? {} : { tags: { has: query.tag } }),
    },
    orderBy: { id: 'asc' },
    take,
  });
  return pageOfRows(rows, query, (row) => present(row, viewer));
}

/** A target as the viewer may see it. Throws `not_found`. */
export async function getTarget(id: string, viewer: Viewer = 'reader'): Promise<Target> {
  const row = await getPrisma().target.findFirst({ where: { id, deletedAt: null } });
  if (!row) throw notFound('target', id);
  return present(row, viewer);
}

/**
 * Starts watching a URL. Throws `invalid` for a loopback or private host unless such are allowed, or it is the demo's own,
 * and for settings that no probe could work with.
 */
export async function createTarget(input: TargetCreate, { demo = false } = {}): Promise<Target> {
  unmaskedUrl(input.url, null);
  if (!demo && !(await allowsPrivateAddresses())) refusePrivateTarget(input.url, input.settings);
  const settings = sealedSettings(acceptedSettings(input.settings, null));
  await refuseUnknownVantages(input.vantages.vantageIds);
  const id = uuid();
  return await getPrisma().$transaction(async (tx) => {
    const created = await tx.target.create({
      data: { ...input, ...settings, id, name: input.name ?? new URL(input.url).host, demo },
    });
    await syncChecks(tx, { targetIds: [id] });
    return present(created, 'editor');
  });
}

/**
 * Changes a target; its probes follow within a poll of the probers. Secrets that come back masked stay as they are, but
 * for a change of the place to which they are sent; so does a URL that comes back masked as a whole.
 * Throws `not_found` or `invalid`.
 */
export async function updateTarget(id: string, patch: TargetPatch): Promise<Target> {
  if (patch.vantages) await refuseUnknownVantages(patch.vantages.vantageIds);
  const allowPrivate = await allowsPrivateAddresses();
  const row = await getPrisma().$transaction(async (tx) => {
    // Of two changes at once the later must not bring back the secrets that the earlier replaced.
    await tx.$queryRaw`select id from target where id = ${id}::uuid for update`;
    const before = await tx.target.findFirst({ where: { id, deletedAt: null } });
    if (!before) throw notFound('target', id);
    const stored = settingsToChange(before);
    const url = unmaskedUrl(patch.url ?? before.url, before.url);
    if (!before.demo && !allowPrivate) refusePrivateTarget(url, patch.settings ?? stored);
    const settings = patch.settings ?? shownSettings(stored, 'editor');
    const moved = sendsElsewhere({ url: before.url, settings: stored }, { url, settings });
    const { periodSeconds = before.periodSeconds } = patch;
    const former = formerAfter(before, { url, periodSeconds });
    // What is not changed stays sealed as it is, also where it cannot be opened.
    const changed = patch.settings || moved ? sealedSettings(acceptedSettings(settings, stored, moved)) : {};
    if (moved && openSettings(before) === null) throw invalidField('url', LOST);
    const data = { ...patch, url, former, ...changed };
    const updated = await tx.target.update({ where: { id }, data });
    await syncChecks(tx, { targetIds: [id] });
    return updated;
  });
  return present(row, 'editor');
}

/** Stops watching a target; its results stay until their retention ends. Throws `not_found`. */
export async function deleteTarget(id: string): Promise<void> {
  await getPrisma().$transaction(async (tx) => {
    const { count } = await tx.target.updateMany({ where: { id, deletedAt: null }, data: { deletedAt: new Date() } });
    if (count === 0) throw notFound('target', id);
    await syncChecks(tx, { targetIds: [id] });
  });
}

async function refuseUnknownVantages(ids: string[]): Promise<void> {
  const rows = await getPrisma().vantage.findMany({
    where: { id: { in: ids }, deletedAt: null, imported: false },
    select: { id: true },
  });
  const known = new Set(rows.map((row) => row.id));
  const unknown = ids.findIndex((id) => !known.has(id.toLowerCase()));
  if (unknown >= 0) throw invalidField(`vantages.vantageIds.${unknown}`, 'is not a vantage');
}

const LOST =
  'cannot change while the secrets in the settings cannot be opened: they were sealed with another ROUNDTRIP_SECRET';

function present(row: Row, viewer: Viewer): Target {
  return {
    id: row.id,
    name: row.name,
    url: viewer === 'reader' ? shownUrl(row.url) : row.url,
    periodSeconds: row.periodSeconds,
    enabled: row.enabled,
    vantages: VantageSelector.parse(row.vantages),
    settings: shownSettings(settingsToShow(row), viewer),
    tags: row.tags,
    demo: row.demo,
    managed: row.managedAt !== null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
