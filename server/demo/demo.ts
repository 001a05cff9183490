// The demo's rows: targets, vantages and what was generated about them. `roundtrip start` makes it where there is no target
// (`ensureDemo`), points its targets at the origins' ports at each later start, and adds a marker where an origin changes,
// with a comparison around it (`addDemoMarker`). Its fourteen days of past are generated rows and incidents (`past/`). `removeDemo` takes all of it away,
// for good. The network itself, real TLS servers behind emulated paths, is in demo/; its processes in cli/demo.

import { isDeepStrictEqual } from 'node:util';
import { v7 as uuid } from 'uuid';
import type { DemoState } from '#contract/demo.ts';
import { ProbeSettings } from '#contract/target.ts';
import { around, insertComparison } from '#server/comparisons/comparisons.ts';
import { getPool, getPrisma, inTransaction } from '#server/database/database.ts';
import { lock } from '#server/database/lock.ts';
import { readSetting, writeSetting } from '#server/database/settings.ts';
import { TIERS } from '#server/rollups/tiers.ts';
import { syncChecks } from '#server/targets/checks.ts';
import { formerAfter } from '#server/targets/former.ts';
import { enrolVantages, type NewVantage, reenrolVantages } from '#server/vantages/enrolments.ts';
import { forgetProbers } from '#server/vantages/probers.ts';

/** One TLS server of the demo on this machine; the host of `url` tells it from the others over restarts, `caPem` signed it. `resume`: its sessions are offered, too. */
type DemoOrigin = { key: string; name: string; url: string; caPem: string; resume?: boolean };
export type DemoNetwork = { origins: DemoOrigin[]; vantages: NewVantage[]; periodSeconds?: number };

/** Whether the demo is there, and how much of it. */
export async function demoState(): Promise<DemoState> {
  const live = { where: { demo: true, deletedAt: null } };
  const [targets, vantages, setting] = await Promise.all([
    getPrisma().target.count(live),
    getPrisma().vantage.count(live),
    readSetting('demo'),
  ]);
  return { present: targets > 0, removed: setting?.removed ?? false, targets, vantages };
}

/**
 * Makes the demo where there is no target at all and it was never removed; where it is there already, points its targets
 * at the origins' new ports. Returns a one-time token for the demo's prober, or null where there is to be no demo.
 */
export async function ensureDemo(network: DemoNetwork): Promise<string | null> {
  const state = await demoState();
  if (state.removed) return null;
  if (state.present) return renewDemo(network);
  if ((await getPrisma().target.count({ where: { deletedAt: null } })) > 0) return null;
  return createDemo(network);
}

/** How the demo probes one of its origins. */
const settingsFor = ({ caPem, resume = false }: DemoOrigin) => ProbeSettings.parse({ caPem, resume });

/** Whether two settings differ in more than the certificate, which is new at each start. */
const sameChoices = (one: unknown, other: unknown) =>
  isDeepStrictEqual(
    ...([one, other].map((each) => ({ ...ProbeSettings.parse(each), caPem: null })) as [object, object]),
  );

async function createDemo({ origins, vantages, periodSeconds = 30 }: DemoNetwork): Promise<string> {
  const { token } = await enrolVantages(vantages, { demo: true });
  const data = origins.map((origin) => ({
    id: uuid(),
    name: origin.name,
    url: origin.url,
    periodSeconds,
    vantages: { regions: [], carriers: [], vantageIds: [] },
    settings: settingsFor(origin),
    demo: true,
  }));
  await getPrisma().$transaction(async (tx) => {
    await tx.target.createMany({ data });
    await syncChecks(tx, { targetIds: data.map((target) => target.id) });
  });
  await writeSetting('demo_settings', Object.fromEntries(data.map(({ id, settings }) => [id, settings])));
  return token;
}

/**
 * The ports and certificates of the origins are new at each start; a target that was deleted stays so. The host tells
 * which origin is a target's: its name may have been changed. Settings that are as the demo wrote them become those of today's
 * demo: an earlier one offered no sessions. Settings that somebody changed stay.
 */
async function renewDemo({ origins }: DemoNetwork): Promise<string | null> {
  const live = { demo: true, deletedAt: null };
  const written = (await readSetting('demo_settings')) ?? {};
  await getPrisma().$transaction(async (tx) => {
    const targets = await tx.target.findMany({ where: live });
    for (const target of targets) {
      const origin = origins.find(({ url }) => hostOf(url) === hostOf(target.url));
      if (!origin) continue;
      // A demo from before this was written down had the defaults alone.
      const untouched = sameChoices(target.settings, written[target.id] ?? {});
      const settings = untouched
        ? settingsFor(origin)
        : { ...ProbeSettings.parse(target.settings), caPem: origin.caPem };
      written[target.id] = settingsFor(origin);
      const former = formerAfter(target, { ...target, url: origin.url });
      await tx.target.update({ where: { id: target.id }, data: { url: origin.url, former, settings } });
    }
    await syncChecks(tx, { targetIds: targets.map((target) => target.id) });
  });
  await writeSetting('demo_settings', written);
  const vantages = await getPrisma().vantage.findMany({ where: live, select: { id: true } });
  if (vantages.length === 0) return null;
  const { token } = await reenrolVantages(vantages.map(({ id }) => id));
  return token;
}

/** When the demo was made; null where there is none. */
export async function demoMadeAt(): Promise<Date | null> {
  const where = { demo: true, deletedAt: null };
  const first = await getPrisma().target.findFirst({ where, orderBy: { createdAt: 'asc' } });
  return first?.createdAt ?? null;
}

const hostOf = (url: string) => new URL(url).hostname;

// All that is kept of a target beside its row, whose deletion takes its checks along.
const KEPT_BY_TARGET = [
  'result',
  'result_evidence',
  // After the rows: what is sealed meanwhile is then a block.
  'result_block',
  ...TIERS.map(({ table }) => table),
  'rollup_dirty',
  'staple_minute',
  'target_advice',
  'detection',
  'comparison',
  'marker',
];

/** Deletes everything of the demo, results too, and remembers that it is not wanted. Does no harm when done twice. */
export async function removeDemo(): Promise<void> {
  await inTransaction(async (client) => {
    // Waits while a day is sealed, without holding others up: a row that is deleted here is in no block.
    await client.query('lock table result in row exclusive mode');
    await writeSetting('demo', { removed: true }, client);
    const { rows } = await client.query<{ id: string }>('select id from target where demo order by id');
    const ids = rows.map(({ id }) => id);
    // A rollup under way would be written after the others are gone.
    await lock(client, 'rollup');
    await client.query('delete from target where id = any($1::uuid[])', [ids]);
    await client.query('delete from prober p using vantage v where v.prober_id = p.id and v.demo');
    await client.query('delete from vantage where demo');
    await client.query('delete from incident_event e using incident i where i.id = e.incident_id and i.demo');
    // A webhook of the demo takes its deliveries along; those of others tell what they were sent.
    for (const table of ['incident', 'webhook', 'alert_rule']) await client.query(`delete from ${table} where demo`);
    await client.query(`delete from setting where key in ('demo_past', 'demo_receiver', 'demo_settings')`);
    for (const table of KEPT_BY_TARGET) {
      await client.query(`delete from ${table} where target_id = any($1::uuid[])`, [ids]);
    }
    // A batch of the demo is of its targets alone.
    await client.query('delete from rollup_log where target_ids <@ $1::uuid[]', [ids]);
  }, 'removal');
  forgetProbers();
}

/** A change of one of the demo's origins, named by its host; `at` is RFC 3339. */
export type DemoMarker = { host: string; at: string; title: string; text: string };

/** So long before a change is compared with as long after it: the congestion that comes before the first one is over by then. */
const COMPARED_MINUTES = 3;
/** What changed longer ago (ms) was not measured: the demo did not run. */
const JUST_NOW_MS = 60_000;

/**
 * Writes a marker of the demo, once however often it is told, and asks for a comparison around it. Does nothing where no target of the
 * demo has the host.
 */
export async function addDemoMarker({ host, at, title, text }: DemoMarker): Promise<void> {
  const id = uuid({ msecs: Date.parse(at) });
  const { rows } = await getPool().query<{ targetId: string }>(
    `insert into marker (id, at, target_id, title, text, created_by, demo)
      select $1, $2, t.id, $3, $4, 'demo', true from target t
      where t.demo and t.deleted_at is null and split_part(split_part(t.url, '/', 3), ':', 1) = $5
        and not exists (select from marker known where known.target_id = t.id and known.at = $2 and known.title = $3)
      returning target_id as "targetId"`,
    [id, at, title, text, host],
  );
  const [marked] = rows;
  if (!marked || Date.parse(at) < Date.now() - JUST_NOW_MS) return;
  const windows = around(new Date(at), COMPARED_MINUTES);
  const about = { targetId: marked.targetId, markerId: id, incidentId: null, title, milestone: 'total' as const };
  await getPrisma().$transaction((tx) => insertComparison(tx, { ...about, ...windows }, 'demo'));
}
