import type { RuleOf } from '#contract/alert-rule.ts';
import { queryResults } from '#server/blocks/read.ts';
import { certificatesOf, type KnownCertificate } from '#server/results/certificates.ts';
import { type RuleTarget, targetCell, targetsOf, type Verdict, vantagesOf } from './verdict.ts';

const DAY_MS = 86_400_000;
/** Certificates of so many periods are looked at, and of so many minutes at least. */
const PERIODS = 2.5;
const LEAST_MINUTES = 10;

/** Targets with a leaf certificate that expires soon, or has expired. A resumed handshake shows none. */
export async function judgeCertificate(rule: RuleOf<'certificate'>, now: Date): Promise<Verdict> {
  const vantageIds = [...(await vantagesOf(rule)).keys()];
  const verdict: Verdict = { broken: [], healthy: new Set() };
  for (const target of await targetsOf(rule)) {
    const first = await firstToExpire(target, vantageIds, now);
    if (first === null) continue;
    const key = `certificate:${target.id}`;
    const daysLeft = (Date.parse(first.notAfter) - now.getTime()) / DAY_MS;
    if (daysLeft >= rule.params.days) {
      verdict.healthy.add(key);
      continue;
    }
    const { subject, issuer, sha256, notAfter } = first;
    verdict.broken.push({
      key,
      cells: [targetCell(target.id, 'certificate', now)],
      metric: null,
      onsetAt: now,
      evidence: { subject, issuer, sha256, notAfter, daysLeft: Math.floor(daysLeft) },
      demo: target.demo,
    });
  }
  return verdict;
}

type Dated = KnownCertificate & { notAfter: string };

async function firstToExpire(target: RuleTarget, vantageIds: string[], now: Date): Promise<Dated | null> {
  const minutes = Math.max(LEAST_MINUTES, (target.periodSeconds * PERIODS) / 60);
  const since = now.getTime() - minutes * 60_000;
  const rows = await queryResults<{ id: number }>({
    spans: [{ targetId: target.id, from: since, to: now.getTime() + DAY_MS }],
    columns: ['certificate_id'],
    text: (result) => `select distinct certificate_id as id from ${result} result
      where target_id = $1 and started_at >= $2 and certificate_id is not null and vantage_id = any($3::uuid[])`,
    values: [target.id, new Date(since), vantageIds],
  });
  const ids = new Set(rows.map(({ id }) => id));
  const known = await certificatesOf(ids);
  const seen = [...ids].flatMap((id) => known.get(id) ?? []);
  const dated = seen.filter((certificate): certificate is Dated => certificate.notAfter !== null);
  return dated.toSorted((a, b) => Date.parse(a.notAfter) - Date.parse(b.notAfter))[0] ?? null;
}
