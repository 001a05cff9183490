import type { z } from 'zod';
import { IngestBatch, type IngestReport, ProberReport } from '#contract/ingest.ts';
import type { StorableResult } from '#contract/result.ts';
import { getRetention } from '#server/database/retention.ts';
import { type FieldError, ServiceError } from '#server/environment/errors.ts';
import { log } from '#server/environment/log.ts';
import { countLimited, countRuns } from '#server/monitoring/monitoring.ts';
import { countProbes } from '#server/monitoring/probes.ts';
import { insertBatch, keyOf, type Refusal, withoutStored } from '#server/results/insert.ts';
import { noteContact } from '#server/vantages/contact.ts';
import { noteDelivered, passedBefore } from '#server/vantages/delivered.ts';
import type { AuthenticatedProber } from '#server/vantages/probers.ts';
import { reusedIds } from './ids.ts';
import { type Fault, type Judgement, judge, type Standard } from './judge.ts';
import { allowanceOf, RATE_FACTOR, type Window, windowOf } from './limits.ts';
import { unboundRedirects } from './redirects.ts';
import { assignedChecks, knownTargets, knownVantages } from './reference-data.ts';
import { Parts } from './shared-parts.ts';

// What probers send, judged result by result before it is stored. The life of a batch: the web process has unpacked it and
// knows its prober; here the envelope is checked, then every result by itself, joined with the parts that it shares with others
// (shared-parts.ts): compiled guards of the contract's schemas pass nearly all of them (guard.ts), the rest is brought into the
// one form that is stored (normalise.ts) and parsed. judge.ts says whether this prober may send it, against the targets and checks
// that are known (reference-data.ts); an id names one result, the first that came with it (ids.ts); a redirect is bound to its
// main result (redirects.ts). What is left is held against the rate of its check and against how much new a prober may bring
// (limits.ts), and stored by server/results, with the marks for server/rollups. The report names each result that was not
// stored, with the field to blame.

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** About 5 ms of parsing, after which other requests get their turn. */
const PARSED_AT_ONCE = 250;
/** Results that the database refused and the log names, of each batch. */
const LOGGED_REFUSALS = 5;

/**
 * Takes a prober's batch. The envelope must be in order, else `invalid`; then every result is judged by itself: the good
 * ones are stored, and each other is named with the field to blame. A report that comes along is kept; one that is not in
 * order costs no result, and is `invalid` where it came alone.
 *
 * A result is judged by what it says (judge.ts), a redirect by its main result (redirects.ts), and all by the rate of
 * their check and by how much new they bring (limits.ts); what the database refuses all the same is named too.
 */
export async function ingestBatch(prober: AuthenticatedProber, body: unknown): Promise<IngestReport> {
  const { results, shared, report, sentAt, until } = parseEnvelope(body);
  const passed = results.length === 0 ? null : await passedBefore(prober.id, Date.now());
  const reportErrors = await takeContact(prober, sentAt, report);
  if (results.length === 0 && reportErrors.length > 0)
    throw new ServiceError('invalid', 'the report is not in order', reportErrors);
  const judgements = await judgeAll(results, await standardFor(prober, sentAt, shared));
  const accepted = judgements.flatMap((judgement) => ('result' in judgement ? [judgement] : []));
  const { fresh, faults } = await storeWithinRate(prober, accepted, passed);
  if (until !== undefined) await noteDelivered(prober.id, until, Date.now());
  const rejected = judgements.flatMap((judgement, index) => {
    if ('fault' in judgement) return { index, ...judgement.fault };
    const fault = faults.size > 0 ? faults.get(keyOf(judgement.result)) : undefined;
    return fault ? { index, ...fault } : [];
  });
  const counts = { accepted: fresh, duplicates: results.length - fresh - rejected.length, rejected };
  const serverTime = new Date().toISOString();
  return { ...counts, ...(reportErrors.length > 0 ? { reportErrors } : {}), serverTime };
}

/** Notes that the prober was heard, and keeps its report or says what is wrong with it. */
async function takeContact(prober: AuthenticatedProber, sentAt?: string, sent?: unknown): Promise<FieldError[]> {
  const parsed = sent === undefined ? null : ProberReport.safeParse(sent);
  const report = parsed?.data;
  const isNew = await noteContact(prober.id, { sentAt, report });
  if (report && isNew) countRuns(report);
  return parsed?.success === false ? fieldsOf(parsed.error.issues, ['report']) : [];
}

function parseEnvelope(body: unknown): IngestBatch {
  const parsed = IngestBatch.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new ServiceError('invalid', 'the batch is not in order', fieldsOf(parsed.error.issues, []));
}

function fieldsOf(issues: z.core.$ZodIssue[], at: string[]): FieldError[] {
  return issues.flatMap((issue) => {
    const path = [...at, ...issue.path];
    if (issue.code !== 'unrecognized_keys') return [{ field: path.join('.'), message: issue.message }];
    return issue.keys.map((key) => ({ field: [...path, key].join('.'), message: 'is not a known field' }));
  });
}

async function standardFor(
  prober: AuthenticatedProber,
  sentAt: string | undefined,
  shared: unknown[] | undefined,
): Promise<Standard> {
  const [targets, assigned, vantages, { rawDays }] = await Promise.all([
    knownTargets(),
    assignedChecks(prober),
    knownVantages(prober),
    getRetention(),
  ]);
  const now = Date.now();
  const skewMs = sentAt === undefined ? 0 : Date.parse(sentAt) - now;
  return {
    prober,
    targets,
    assigned,
    vantages,
    oldest: now - rawDays * DAY_MS,
    newest: now + HOUR_MS,
    skewMs,
    parts: shared ? new Parts(shared) : null,
  };
}

async function judgeAll(results: unknown[], standard: Standard): Promise<Judgement[]> {
  const judgements: Judgement[] = [];
  for (let at = 0; at < results.length; at += PARSED_AT_ONCE) {
    if (at > 0) await new Promise(setImmediate);
    for (const sent of results.slice(at, at + PARSED_AT_ONCE)) judgements.push(judge(sent, standard));
  }
  const judged = await withFreshTargets(judgements, results, standard);
  return await without(await without(judged, reusedIds), unboundRedirects);
}

/** What was assigned or changed since the caches were filled is not unknown: such results are judged again. */
async function withFreshTargets(found: Judgement[], results: unknown[], standard: Standard): Promise<Judgement[]> {
  const doubtful = (judgement: Judgement) =>
    'fault' in judgement && (judgement.fault.field === 'targetId' || judgement.fault.field === 'url');
  if (!found.some(doubtful)) return found;
  const now = Date.now();
  const [targets, assigned] = await Promise.all([knownTargets(now), assignedChecks(standard.prober, now)]);
  const fresh = { ...standard, targets, assigned };
  return found.map((judgement, index) => (doubtful(judgement) ? judge(results[index], fresh) : judgement));
}

/** Those that passed so far are held against one another, and against what is stored. */
async function without(
  found: Judgement[],
  findFaults: (passed: StorableResult[]) => Promise<Map<StorableResult, Fault>>,
): Promise<Judgement[]> {
  const faults = await findFaults(found.flatMap((judgement) => ('result' in judgement ? judgement.result : [])));
  if (faults.size === 0) return found;
  return found.map((judgement) => {
    const fault = 'result' in judgement ? faults.get(judgement.result) : undefined;
    return fault ? { fault } : judgement;
  });
}

type Accepted = Extract<Judgement, { result: StorableResult }>;
type Kept = { fresh: number; faults: Map<string, Fault> };

/** Stores what the rate of its check leaves room for: how many are new, and by `keyOf` why others are not stored. */
async function storeWithinRate(
  prober: AuthenticatedProber,
  accepted: Accepted[],
  passed: number | null,
): Promise<Kept> {
  const within = new Map<StorableResult, Window>();
  const over = new Map<StorableResult, Window>();
  for (const { result, target } of accepted) {
    const window = windowOf(result, target);
    if (window.stored + window.pending >= window.most) {
      over.set(result, window);
      continue;
    }
    within.set(result, window);
    window.pending += 1;
  }
  try {
    const { fresh, refused } = await insertBatch([...within.keys()], allowanceOf(prober.id, Date.now()), passed);
    countProbes(fresh);
    for (const result of fresh) (within.get(result) as Window).stored += 1;
    noteRefused(prober, refused);
    // What is stored already is a duplicate, however full its window is.
    const tooMany = over.size === 0 ? [] : await withoutStored([...over.keys()]);
    countLimited('rate', tooMany.length);
    const faults = new Map<string, Fault>();
    for (const [key, { id, message, retry }] of refused)
      faults.set(key, { id, field: null, message, ...(retry ? { retry } : {}) });
    for (const result of tooMany) faults.set(keyOf(result), overRate(result, over.get(result)));
    return { fresh: fresh.length, faults };
  } finally {
    for (const window of within.values()) window.pending -= 1;
  }
}

/** Places that others hold may become free: then the result is to come again. */
function overRate({ id }: StorableResult, window: Window | undefined): Fault {
  const message = `is one too many: a check may have ${window?.most} results of a kind in this time, ${RATE_FACTOR} times its rate`;
  if (window !== undefined && window.stored < window.most) return { id, field: null, message, retry: true };
  return { id, field: 'startedAt', message };
}

function noteRefused(prober: AuthenticatedProber, refused: Map<string, Refusal>): void {
  const all = [...refused.values()];
  const byDatabase = all.filter(({ by }) => by === 'database');
  countLimited('new', all.filter(({ by }) => by === 'new').length);
  countLimited('database', byDatabase.length);
  for (const { id, message } of byDatabase.slice(0, LOGGED_REFUSALS))
    log.error({ prober: prober.id, result: id, results: byDatabase.length }, `result ${message}`);
}
