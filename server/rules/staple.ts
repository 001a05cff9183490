import type { RuleOf } from '#contract/alert-rule.ts';
import { getPool } from '#server/database/database.ts';
import { stringsOf } from '#server/database/dictionary.ts';
import { cellOf } from '#server/incidents/stored-incident.ts';
import { targetsOf, type Verdict } from './verdict.ts';

/** Handshakes with one server and certificate that names a responder, and how many brought a good staple. */
type Server = { peerAddressId: number; subject: string; responder: string; n: number; good: number };

/**
 * Targets with a server that seldom staples. Many handshakes are asked for: a server may miss the first one after its
 * start. Certificates without a responder's address have nothing to staple and are not looked at, nor are staples that the
 * prober could not verify.
 */
export async function judgeStaple(rule: RuleOf<'staple'>, now: Date): Promise<Verdict> {
  const { hitRatio, windowMinutes, minHandshakes } = rule.params;
  const since = new Date(now.getTime() - windowMinutes * 60_000);
  const verdict: Verdict = { broken: [], healthy: new Set() };
  for (const target of await targetsOf(rule)) {
    const servers = (await serversOf(target.id, since)).filter(({ n }) => n >= minHandshakes);
    if (servers.length === 0) continue;
    const key = `staple:${target.id}`;
    const bad = servers.filter(({ n, good }) => good / n < hitRatio);
    if (bad.length === 0) {
      verdict.healthy.add(key);
      continue;
    }
    verdict.broken.push({
      key,
      cells: [cellOf({ targetId: target.id, kind: 'staple', at: now })],
      metric: null,
      onsetAt: now,
      evidence: { servers: await described(bad) },
      demo: target.demo,
    });
  }
  return verdict;
}

async function serversOf(targetId: string, since: Date): Promise<Server[]> {
  const { rows } = await getPool().query<Server>(
    `select s.peer_address_id as "peerAddressId", c.subject, c.ocsp_url as responder, sum(s.n)::int as n,
        coalesce(sum(s.n) filter (where d.value = 'good'), 0)::int as good
      from staple_minute s join certificate c on c.id = s.certificate_id join dictionary d on d.id = s.status_id
      where s.target_id = $1 and s.bucket >= $2 and c.ocsp_url is not null and d.value <> 'unverified'
      group by s.peer_address_id, c.subject, c.ocsp_url order by s.peer_address_id`,
    [targetId, since],
  );
  return rows;
}

async function described(servers: Server[]) {
  const addresses = await stringsOf(new Set(servers.map(({ peerAddressId }) => peerAddressId)));
  return servers.map(({ peerAddressId, subject, responder, n, good }) => ({
    peerAddress: addresses.get(peerAddressId) ?? null,
    subject,
    responder,
    handshakes: n,
    good,
    hitRatio: good / n,
  }));
}
