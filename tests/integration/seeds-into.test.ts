import { readFileSync } from 'node:fs';
import path from 'node:path';
import { rootCertificates } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Comparison } from '#contract/comparison.ts';
import type { Result } from '#contract/result.ts';
import { computeDue } from '#server/comparisons/compute.ts';
import { feedKalasearch } from '#tests/lab/seeds/into.ts';
import { CHANGES } from '#tests/lab/seeds/kalasearch.ts';
import type { Measured } from '#tests/lab/seeds/seed.ts';
import { SEED_HOST, type Testbed } from '#tests/lab/seeds/testbed.ts';
import type { Scenario } from '#tests/lab/types.ts';
import { isLong } from '../support/extent.ts';
import { prepareApi } from '../support/prepare.ts';

const FIXTURE = path.join(import.meta.dirname, '../fixtures/seeds/kalasearch.json.gz');
const PORT = 4_431;

/** A place whose server and prober are recorded: each probe is the next one that the lab made of such a state. */
function recordedTestbed(): Testbed {
  const { results }: Measured = JSON.parse(gunzipSync(readFileSync(FIXTURE)).toString());
  let rttMs = 0;
  let waiting: Result[] = [];
  const own = (state: string) => (results[state] ?? []).filter(({ variant }) => variant !== 'resumed');
  const stateOf = ({ tls, recordBytes, http2 }: Scenario) =>
    tls === '1.3' ? 'tls13' : recordBytes ? 'all-five' : http2 ? 'http2' : 'before';
  return {
    sentence: 'Recorded.',
    beside: { enter: [], folder: '' },
    caPem: rootCertificates[0] ?? '',
    address: '10.99.0.2',
    serve: async ([scenario]) => {
      waiting = own(stateOf(scenario as Scenario));
      return { [(scenario as Scenario).name]: PORT };
    },
    setRtt: async (ms) => {
      rttMs = ms;
    },
    setInitcwnd: async () => {},
    probe: async (port) => {
      const at = waiting.findIndex(({ phases }) => Math.abs((phases.tcp ?? 0) - rttMs) < 0.25 * rttMs + 1);
      const [result] = waiting.splice(Math.max(0, at), 1);
      return result ? [{ ...result, url: `https://${SEED_HOST}:${port}/` }] : [];
    },
    close: async () => {},
  };
}

const api = prepareApi({ ROUNDTRIP_RATE_LIMIT: '100000' });

/** Feeds, and computes comparisons as the jobs do. */
async function feed(): Promise<string[]> {
  const said: string[] = [];
  let isFed = false;
  const jobs = (async () => {
    while (!isFed) await computeDue();
  })();
  const fed = feedKalasearch(recordedTestbed(), api.server.baseUrl, api.keys.write, (text) => said.push(text));
  await fed.finally(() => {
    isFed = true;
  });
  await jobs;
  return said;
}

describe('npm run seeds -- kalasearch --into', () => {
  it.runIf(isLong)('makes a target, vantages, a marker a change and a comparison each', async () => {
    const said = await feed();
    const titles = [...Object.values(CHANGES).map(({ title }) => title), 'All five changes of the article'];
    const list = await api.ask('GET', '/api/v1/comparisons');
    const comparisons = (list.json as { data: Comparison[] }).data;
    expect(comparisons.map(({ title }) => title).toSorted()).toEqual(titles.toSorted());
    for (const { id, status, summary, title } of comparisons) {
      expect(status).toBe('ready');
      const line = said.find((text) => text.includes(`/comparisons/${id}`));
      expect(line).toContain(`${title}: ${api.server.baseUrl}/comparisons/${id}`);
      expect(line).toContain(summary);
    }
    const markers = await api.ask('GET', '/api/v1/markers');
    expect((markers.json as { data: unknown[] }).data).toHaveLength(Object.keys(CHANGES).length);
    const vantages = await api.ask('GET', '/api/v1/vantages');
    expect((vantages.json as { data: unknown[] }).data).toHaveLength(5);
    const targets = await api.ask('GET', '/api/v1/targets');
    expect((targets.json as { data: { enabled: boolean }[] }).data.map(({ enabled }) => enabled)).toEqual([false]);
  });

  it('says what the product refuses', async () => {
    const fed = feedKalasearch(recordedTestbed(), api.server.baseUrl, api.keys.read, () => {});
    await expect(fed).rejects.toThrow('status 403');
  });
});
