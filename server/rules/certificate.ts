import type { RuleOf } from '#contract/alert-rule.ts';
import { type Certificate, RENEWED_AT } from '#contract/certificate.ts';
import { queryResults } from '#server/blocks/read.ts';
import { cellOf } from '#server/incidents/stored-incident.ts';
import { certificatesOf, endingFirst } from '#server/results/certificates.ts';
import { type RuleTarget, targetsOf, type Verdict, vantagesOf } from './verdict.ts';

const DAY_MS = 86_400_000;
/** Certificates of so many periods are looked at, and of so many minutes at least. */
const PERIODS = 2.5;
const LEAST_MINUTES = 10;

/** Targets with a leaf certificate, or an intermediate that ends before it, that expires soon or has. A resumed handshake shows none. */
export async function judgeCertificate(rule: RuleOf<'certificate'>, now: Date): Promise<Verdict> {
  const vantageIds = [...(await vantagesOf(rule)).keys()];
  const verdict: Verdict = { broken: [], healthy: new Set() };
  for (const target of await targetsOf(rule)) {
    const first = await firstToExpire(target, vantageIds, now, rule.params.days);
    if (first === null) continue;
    const key = `certificate:${target.id}`;
    const daysLeft = daysLeftOf(first, now);
    if (daysLeft >= limitOf(first, rule.params.days)) {
      verdict.healthy.add(key);
      continue;
    }
    const { subject, issuer, sha256, notAfter } = first;
    verdict.broken.push({
      key,
      cells: [cellOf({ targetId: target.id, kind: 'certificate', at: now })],
      metric: null,
      onsetAt: now,
      evidence: { subject, issuer, sha256, notAfter, daysLeft: Math.floor(daysLeft) },
      demo: target.demo,
    });
  }
  return verdict;
}

type Dated = Pick<Certificate, 'subject' | 'issuer' | 'sha256' | 'notBefore'> & { notAfter: string };

const daysLeftOf = ({ notAfter }: Dated, now: Date) => (Date.parse(notAfter) - now.getTime()) / DAY_MS;

/** The rule's days; of a certificate that lives no longer than that, the time before its end at which it is renewed. */
function limitOf({ notBefore, notAfter }: Dated, days: number): number {
  const lifetimeMs = notBefore === null ? Number.POSITIVE_INFINITY : Date.parse(notAfter) - Date.parse(notBefore);
  return lifetimeMs > days * DAY_MS ? days : (lifetimeMs * RENEWED_AT) / DAY_MS;
}

async function firstToExpire(target: RuleTarget, vantageIds: string[], now: Date, days: number): Promise<Dated | null> {
  const minutes = Math.max(LEAST_MINUTES, (target.periodSeconds * PERIODS) / 60);
  const since = now.getTime() - minutes * 60_000;
  const rows = await queryResults<{ id: number; chain: number | null }>({
    spans: [{ targetId: target.id, from: since, to: now.getTime() + DAY_MS }],
    columns: ['certificate_id', 'sent_chain_id'],
    text: (result) => `select distinct certificate_id as id, sent_chain_id as chain from ${result} result
      where target_id = $1 and started_at >= $2 and certificate_id is not null and vantage_id = any($3::uuid[])`,
    values: [target.id, new Date(since), vantageIds],
  });
  const ids = new Set(rows.map(({ id }) => id));
  const known = await certificatesOf(ids);
  const leaves = [...ids].flatMap((id) => known.get(id) ?? []);
  const chains = await endingFirst(new Set(rows.flatMap(({ chain }) => chain ?? [])));
  const seen = [...leaves, ...[...chains.values()].flat()];
  const dated = seen.filter(
    (certificate): certificate is (typeof seen)[number] & Dated => certificate.notAfter !== null,
  );
  const spare = (each: Dated) => daysLeftOf(each, now) - limitOf(each, days);
  return dated.toSorted((a, b) => spare(a) - spare(b))[0] ?? null;
}
