import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { IngestReport } from '#contract/ingest.ts';
import type { StorableResult, VantageRef } from '#contract/result.ts';
import { hashSecret, mintSecret } from '#server/access/secrets.ts';
import { getPool } from '#server/database/database.ts';
import { assignAll, insertProber, insertTarget } from '../support/places.ts';
import { insertResults, makeResult } from '../support/results.ts';
import { startTestServer } from '../support/server.ts';
import { makeVantage } from '../support/vantages.ts';
import { onFreshDatabase } from './database.ts';

const BATCH = 5_000;
const BATCHES = 3;
const TARGETS = 100;

/** A result of which nearly every text is its own, as a prober that went wrong, or that somebody took over, sends it. */
function oddResult(targetId: string, vantage: VantageRef, startedAt: number, n: number): StorableResult {
  const made = makeResult({ targetId, vantage, startedAt });
  const own = (text: string) => `${text} ${n} ${'x'.repeat(60)}`;
  const { tls, http, network } = made;
  if (!tls?.certificate?.sent || !tls.hellos || !http) throw new Error('the made result has all parts');
  const sha256 = createHash('sha256').update(String(n)).digest('hex');
  const names = Array.from({ length: 20 }, (_, at) => `host-${at}-of-${n}.example.org`);
  const sent = { ...tls.certificate.sent, messageBytes: n };
  return {
    ...made,
    network: { ...network, peerAddress: `2001:db8::${n.toString(16)}`, resolver: own('resolver') },
    tls: {
      ...tls,
      cipher: `cipher ${n}`,
      hellos: { ...tls.hellos, clientBytes: n },
      session: { tickets: n, lifetimeSeconds: n, earlyDataBytes: 0 },
      certificate: { ...tls.certificate, sha256, subject: own('CN'), issuer: own('CN'), names, sent },
    },
    http: { ...http, server: own('server') },
  };
}

/** Time and memory of 15,000 odd results through a real web process, and time of `insertResults` alone. */
export async function benchOddResults(): Promise<void> {
  await onFreshDatabase(async () => {
    const vantage = makeVantage('CN-GD', 'telecom');
    const proberId = await insertProber([vantage]);
    const credential = mintSecret('rtp');
    await getPool().query('update prober set credential_hash = $1 where id = $2', [hashSecret(credential), proberId]);
    const targets: string[] = [];
    for (let n = 0; n < TARGETS; n += 1) targets.push(await insertTarget());
    await assignAll();
    const begin = Date.now() - 3_600_000;
    const batch = (number: number) =>
      Array.from({ length: BATCH }, (_, index) => {
        const n = number * BATCH + index + 1;
        const targetId = targets[n % TARGETS] ?? '';
        return oddResult(targetId, vantage, begin + Math.floor((n * 3_500_000) / (BATCH * (BATCHES + 1))), n);
      });
    const server = await startTestServer({ databaseUrl: process.env.DATABASE_URL ?? '' });
    console.log(`at rest: ${memoryOf(server.pid)}`);
    for (let number = 0; number < BATCHES; number += 1) {
      const body = JSON.stringify({ results: batch(number) });
      const startedAt = performance.now();
      const response = await fetch(new URL('/api/ingest/results', server.baseUrl), {
        method: 'POST',
        headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
        body,
      });
      const text = await response.text();
      if (!response.ok) throw new Error(text);
      const { accepted, rejected } = IngestReport.parse(JSON.parse(text));
      const seconds = (performance.now() - startedAt) / 1_000;
      console.log(
        `batch ${number}: ${seconds.toFixed(2)} s, ${accepted} stored, ${rejected.length} not; ${memoryOf(server.pid)}`,
      );
    }
    await server.stop();
    const more = batch(BATCHES);
    const startedAt = performance.now();
    await insertResults(more);
    console.log(`insertResults alone: ${((performance.now() - startedAt) / 1_000).toFixed(2)} s for ${BATCH}`);
  });
}

function memoryOf(pid: number | undefined): string {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mib = (field: string) => Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024);
  return `${mib('VmRSS')} MiB resident, ${mib('VmHWM')} MiB at the most`;
}
