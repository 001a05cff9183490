// History that other monitors measured, as results of a target. The life of an import: the measurements of a request become
// results as they are said, with nothing made up (imported-result.ts); each place of a source has a vantage of its own, which is made
// as it is met, has no prober and is in no check; results are stored as probers' are (server/results), but for the word to the
// detector that something came late. Who judges (the detector, rules, advice, comparisons, usual levels) asks
// `measuringVantages` (server/vantages/labels.ts) and leaves these vantages out; charts do not ask. The target keeps from when until when
// it has imported results: the seam that charts draw.

import { v5 as uuidOf } from 'uuid';
import {
  type ImportCreate,
  type ImportedMeasurement,
  type ImportReport,
  MAX_IMPORTED_VANTAGES,
} from '#contract/import.ts';
import type { VantageRef } from '#contract/result.ts';
import type { Prisma } from '#prisma/generated/client.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { lock } from '#server/database/lock.ts';
import { fillableSince } from '#server/database/retention.ts';
import { invalidField, notFound, ServiceError } from '#server/environment/errors.ts';
import { allowanceOf } from '#server/ingest/limits.ts';
import { insertBatch } from '#server/results/insert.ts';
import { resultOf } from './imported-result.ts';

/** A clock of another machine may be ahead of ours by so much, ms. */
const AHEAD_MS = 60_000;
/** Another tries again after so many seconds, where a day is being sealed. */
const AGAIN_SECONDS = 60;

/**
 * Stores what another monitor measured; what is stored already is left as it is. Throws `not_found`, `invalid` for what is of the
 * future, `conflict` for a target of the demo and for more places than there may be, `unavailable` where some cannot be stored now.
 */
export async function importMeasurements({ targetId, source, measurements }: ImportCreate): Promise<ImportReport> {
  const target = await targetToFill(targetId);
  const now = Date.now();
  const ahead = measurements.findIndex(({ at }) => Date.parse(at) > now + AHEAD_MS);
  if (ahead >= 0) throw invalidField(`measurements.${ahead}.at`, 'is in the future');
  const since = await fillableSince(now);
  const kept = measurements.filter(({ at }) => Date.parse(at) >= since);
  const places = new Map(kept.map((measurement) => [measurement, placeOf(source, measurement)]));
  const vantages = new Map([...places.values()].map((place) => [place.id, place]));
  await ensureVantages([...vantages.values()]);
  const results = kept.map((each) => resultOf(each, target, places.get(each) as VantageRef));
  // Before they are stored: nothing of them is ever shown as our own.
  await noteSpan(
    target.id,
    kept.map(({ at }) => Date.parse(at)),
  );
  const { fresh, refused } = await insertBatch(results, allowanceOf('imports', now), 'unjudged');
  const [refusal] = refused.values();
  if (refusal)
    throw new ServiceError(
      'unavailable',
      `${refused.size} measurements are not stored, the first of which ${refusal.message}`,
      undefined,
      AGAIN_SECONDS,
    );
  return {
    stored: fresh.length,
    already: kept.length - fresh.length,
    tooOld: measurements.length - kept.length,
    vantages: vantages.size,
  };
}

async function targetToFill(id: string): Promise<{ id: string; url: string }> {
  const { rows } = await getPool().query<{ id: string; url: string; demo: boolean }>(
    'select id, url, demo from target where id = $1 and deleted_at is null',
    [id],
  );
  const [target] = rows;
  if (!target) throw notFound('target', id, 'targetId');
  if (target.demo) throw new ServiceError('conflict', 'A target of the demo takes no imports: it goes with the demo.');
  return target;
}

/** The namespace of the ids of imported vantages. */
const PLACES = '3b6f0b56-5f0e-4c0e-9d55-6f3c1f1a7c52';

/** The vantage of a measurement: the same id for the same place of a source, whatever its labels were changed to since. */
function placeOf(source: string, measurement: ImportedMeasurement): VantageRef {
  const { country, region, carrier, city = null, asn = null, access = 'idc' } = measurement;
  const place = [source, country, region, carrier, city, asn, access];
  const network = asn === null ? carrier : `${carrier} AS${asn}`;
  const name = `${source}: ${[city ?? region, network].join(' ')}`.slice(0, 200);
  return { id: uuidOf(JSON.stringify(place), PLACES), name, country, region, city, carrier, asn, access };
}

/** Makes those that are missing. One that somebody removed is there again: it has results again. */
async function ensureVantages(places: readonly VantageRef[]): Promise<void> {
  const prisma = getPrisma();
  const present = await presentOf(prisma, places);
  if (places.every(({ id }) => present.has(id))) return;
  await prisma.$transaction(async (tx) => {
    // Two requests at once must not both make the last that there may be.
    await lock(tx, 'imported_vantage');
    const there = await presentOf(tx, places);
    const missing = places.filter(({ id }) => !there.has(id));
    const count = await tx.vantage.count({ where: { imported: true, deletedAt: null } });
    if (missing.length > 0 && count + missing.length > MAX_IMPORTED_VANTAGES)
      throw new ServiceError(
        'conflict',
        `These measurements are of ${missing.length} new places; there may be ${MAX_IMPORTED_VANTAGES} imported vantages, and ${count} are there. Leave out cities or AS numbers.`,
      );
    await tx.vantage.createMany({ data: missing.map((place) => ({ ...place, imported: true })), skipDuplicates: true });
    await tx.vantage.updateMany({ where: { id: { in: missing.map(({ id }) => id) } }, data: { deletedAt: null } });
  });
}

/** Ids of those of these places that have a vantage which nobody removed. */
async function presentOf(
  db: Pick<Prisma.TransactionClient, 'vantage'>,
  places: readonly VantageRef[],
): Promise<Set<string>> {
  const ids = places.map(({ id }) => id);
  const rows = await db.vantage.findMany({ where: { id: { in: ids }, deletedAt: null }, select: { id: true } });
  return new Set(rows.map(({ id }) => id));
}

/** Widens the span of a target's imported results to these instants, ms since 1970. */
async function noteSpan(targetId: string, instants: readonly number[]): Promise<void> {
  if (instants.length === 0) return;
  const span = [instants.reduce((a, b) => Math.min(a, b)), instants.reduce((a, b) => Math.max(a, b))];
  await getPool().query(
    `update target set imported_from = least(imported_from, $2::timestamptz),
        imported_until = greatest(imported_until, $3::timestamptz) where id = $1`,
    [targetId, ...span.map((at) => new Date(at))],
  );
}
