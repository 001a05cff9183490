import { IngestBatch, type IngestReport, type ProberReport } from '#contract/ingest.ts';
import { ServiceError } from './errors.ts';
import { type Judgement, judge, type Standard } from './ingest/judge.ts';
import { knownTargets } from './ingest/targets.ts';
import { countRuns } from './metrics.ts';
import { storeReport } from './prober-reports.ts';
import type { AuthenticatedProber } from './probers.ts';
import { insertResults } from './results/insert.ts';
import { getRetention } from './retention.ts';
import { vantageLabels } from './vantage-labels.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** About 5 ms of parsing, after which other requests get their turn. */
const PARSED_AT_ONCE = 250;

/**
 * Takes a prober's batch. The envelope must be in order, else `invalid`; then every result is judged by itself: the good
 * ones are stored, and each bad one is named with the field to blame. A report that comes along is kept.
 */
export async function ingestBatch(prober: AuthenticatedProber, body: unknown): Promise<IngestReport> {
  const { results, report } = parseEnvelope(body);
  if (report) await takeReport(prober, report);
  const judgements = await judgeAll(results, await standardFor(prober));
  const accepted = judgements.flatMap((judgement) => ('result' in judgement ? judgement.result : []));
  const counts = await insertResults(accepted);
  const rejected = judgements.flatMap((judgement, index) =>
    'fault' in judgement ? { index, ...judgement.fault } : [],
  );
  return { ...counts, rejected, serverTime: new Date().toISOString() };
}

async function takeReport(prober: AuthenticatedProber, report: ProberReport): Promise<void> {
  if (await storeReport(prober.id, report)) countRuns(report);
}

function parseEnvelope(body: unknown): IngestBatch {
  const parsed = IngestBatch.safeParse(body);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.flatMap((issue) => {
    const unknown = issue.code === 'unrecognized_keys' ? issue.keys : [];
    if (unknown.length > 0)
      return unknown.map((key) => ({ field: [...issue.path, key].join('.'), message: 'is not a field of a batch' }));
    return [{ field: issue.path.join('.'), message: issue.message }];
  });
  throw new ServiceError('invalid', 'the batch is not in order', fields);
}

async function standardFor(prober: AuthenticatedProber): Promise<Standard> {
  const [targets, vantages, { rawDays }] = await Promise.all([knownTargets(), vantageLabels(), getRetention()]);
  const now = Date.now();
  return { prober, targets, vantages, oldest: now - rawDays * DAY_MS, newest: now + HOUR_MS };
}

async function judgeAll(results: unknown[], standard: Standard): Promise<Judgement[]> {
  const judgements: Judgement[] = [];
  for (let at = 0; at < results.length; at += PARSED_AT_ONCE) {
    if (at > 0) await new Promise(setImmediate);
    for (const sent of results.slice(at, at + PARSED_AT_ONCE)) judgements.push(judge(sent, standard));
  }
  return await withFreshTargets(judgements, results, standard);
}

/** A target made within the cache's three seconds is not unknown: such results are judged again against fresh ones. */
async function withFreshTargets(found: Judgement[], results: unknown[], standard: Standard): Promise<Judgement[]> {
  const doubtful = (judgement: Judgement) => 'fault' in judgement && judgement.fault.field === 'targetId';
  if (!found.some(doubtful)) return found;
  const fresh = { ...standard, targets: await knownTargets(Date.now()) };
  return found.map((judgement, index) => (doubtful(judgement) ? judge(results[index], fresh) : judgement));
}
