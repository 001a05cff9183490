import type { z } from 'zod';
import { Result, type StorableResult, type VantageRef } from '#contract/result.ts';
import { sameUrl, targetUrlProblem } from '#contract/target.ts';
import { LATE_DAYS } from '#server/targets/former.ts';
import type { VantageLabels } from '#server/vantages/labels.ts';
import type { AuthenticatedProber } from '#server/vantages/probers.ts';
import { compileGuard } from './guard.ts';
import { normalise } from './normalise.ts';
import type { Assigned, KnownTarget } from './reference-data.ts';
import { isResultOfParts, type Parts } from './shared-parts.ts';

/** An id is minted within so long (ms) of the time that its result claims. */
export const ID_APART_MS = 43_200_000;

/** What a result is held against: times in ms since 1970. `skewMs`: the prober's clock minus ours, 0 where it does not say. */
export type Standard = {
  prober: AuthenticatedProber;
  targets: ReadonlyMap<string, KnownTarget>;
  assigned: Assigned;
  vantages: ReadonlyMap<string, VantageLabels>;
  oldest: number;
  newest: number;
  skewMs: number;
  /** What results of the batch share; null where it is sent with each. */
  parts: Parts | null;
};

/**
 * Why a result is not accepted: never, or with `retry` not now; `field` is a path in the result, null where none is to
 * blame.
 */
export type Fault = { id: string | null; field: string | null; message: string; retry?: true };
export type Judgement = { result: StorableResult; target: KnownTarget } | { fault: Fault };

/** Parses one result by itself and says whether this prober may send it. */
export function judge(sent: unknown, standard: Standard): Judgement {
  const parsed = parse(sent, standard);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return fault(idOf(sent), issue?.path.join('.') || null, issue?.message ?? 'is not a result');
  }
  const { data } = parsed;
  const { targetId, vantage } = data;
  if (targetId === null) return fault(data.id, 'targetId', 'is missing: a stored result belongs to a target');
  if (vantage === null) return fault(data.id, 'vantage', 'is missing: a stored result belongs to a vantage');
  const target = standard.targets.get(targetId.toLowerCase());
  const problem =
    engineProblem(data) ??
    placeProblem(target, vantage, standard) ??
    urlProblem(data, target) ??
    timeProblem(data, standard) ??
    idProblem(data, standard) ??
    outcomeProblem(data);
  if (!target || problem) {
    const judgement = fault(data.id, problem?.field ?? 'targetId', problem?.message ?? 'is unknown');
    return problem?.retry ? { fault: { ...judgement.fault, retry: true } } : judgement;
  }
  const id = data.id.toLowerCase();
  // The flag is the target's: a prober cannot pass demo data off as real, nor the other way round.
  return { result: { ...data, id, targetId: target.id, vantage, demo: target.demo }, target };
}

const isResult = compileGuard(Result);

/** What is in order already is taken as it is. */
function parse(sent: unknown, { prober, vantages, parts }: Standard): z.ZodSafeParseResult<Result> {
  if (isInOrder(sent, parts)) return { success: true, data: sent as Result };
  return Result.safeParse(normalise(sent, prober.vantageIds, vantages));
}

function isInOrder(sent: unknown, parts: Parts | null): boolean {
  if (parts === null) return isResult(sent);
  // First, while the parts are numbers: each part is judged once for all the results that have it.
  const restIsInOrder = isResultOfParts(sent);
  return parts.joinTo(sent) && restIsInOrder;
}

function fault(id: string | null, field: string | null, message: string): { fault: Fault } {
  return { fault: { id, field, message } };
}

type Problem = { field: string; message: string; retry?: true };

/** 0 says that a result was imported (server/imports). */
const engineProblem = ({ engineVersion }: Result): Problem | null =>
  engineVersion > 0 ? null : { field: 'engineVersion', message: 'must be 1 or more' };

function placeProblem(target: KnownTarget | undefined, vantage: VantageRef, standard: Standard): Problem | null {
  const id = vantage.id.toLowerCase();
  if (!standard.prober.vantageIds.includes(id)) {
    return { field: 'vantage.id', message: 'is not a vantage that this prober serves' };
  }
  if (!target) return { field: 'targetId', message: 'is not a target of this server' };
  if (target.deleted) return { field: 'targetId', message: 'is a target that has been deleted' };
  const place = standard.vantages.get(id);
  if (place && place.demo !== target.demo) {
    return { field: 'vantage.id', message: 'demo vantages measure demo targets, and no others do' };
  }
  if (standard.assigned.get(id)?.has(target.id)) return null;
  return { field: 'targetId', message: `is not assigned to this vantage, nor was it in the last ${LATE_DAYS} days` };
}

/** Only the probe of a redirect has a URL of its own: it is bound to its main result instead. */
function urlProblem({ variant, mainId, url }: Result, target: KnownTarget | undefined): Problem | null {
  if (variant === 'redirect') {
    if (!mainId) return { field: 'mainId', message: 'is missing: a redirect follows a main result' };
    const problem = targetUrlProblem(url);
    return problem === null ? null : { field: 'url', message: problem };
  }
  if (!target || target.urls.some((known) => sameUrl(known, url))) return null;
  return { field: 'url', message: `is not the target's, nor was it in the last ${LATE_DAYS} days` };
}

function timeProblem(result: Result, { oldest, newest }: Standard): Problem | null {
  const startedAt = Date.parse(result.startedAt);
  if (Number.isNaN(startedAt)) return { field: 'startedAt', message: 'is no date of the calendar' };
  if (startedAt < oldest) return { field: 'startedAt', message: 'is older than results are kept', retry: true };
  if (startedAt > newest)
    return { field: 'startedAt', message: "is more than an hour ahead of the server's clock", retry: true };
  return null;
}

/**
 * The time in an id (UUIDv7) is the result's, or that of the prober's clock: by what it corrected `startedAt`, or by what it
 * is off now.
 */
function idProblem({ id, startedAt, prober }: Result, { skewMs }: Standard): Problem | null {
  const apart = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) - Date.parse(startedAt);
  const offsets = [0, prober.clockOffsetMs ?? 0, skewMs];
  if (offsets.some((aheadMs) => Math.abs(apart - aheadMs) <= ID_APART_MS)) return null;
  return { field: 'id', message: `is of a time more than ${ID_APART_MS / 3_600_000} hours from startedAt` };
}

function outcomeProblem({ ok, failure }: Result): Problem | null {
  if (ok === (failure === null)) return null;
  return { field: 'failure', message: ok ? 'must be null where ok is true' : 'is missing where ok is false' };
}

function idOf(sent: unknown): string | null {
  if (typeof sent !== 'object' || sent === null || !('id' in sent)) return null;
  return typeof sent.id === 'string' ? sent.id.slice(0, 100) : null;
}
