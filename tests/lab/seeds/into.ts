import { createHash, randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import type { Milestone } from '#contract/comparison.ts';
import { IngestReport } from '#contract/ingest.ts';
import { Marker } from '#contract/marker.ts';
import { ENGINE_VERSION, type Result, type VantageRef } from '#contract/result.ts';
import { Target } from '#contract/target.ts';
import { Enrolment } from '#contract/vantage.ts';
import { BEFORE, CHANGES, type SeedVantage, VANTAGES } from './kalasearch.ts';
import { undisturbed } from './sentences.ts';
import { SEED_HOST, type Testbed } from './testbed.ts';

/** Probes of each state at each vantage; they are dated a minute apart, and a comparison needs five minutes. */
const ROUNDS = 6;
const MINUTE_MS = 60_000;
/** A comparison is computed within seconds. */
const READY_WITHIN_MS = 60_000;
const ASK_EVERY_MS = 500;

/** The part of a comparison that is printed. */
const Ready = z.object({ id: z.uuid(), status: z.string(), summary: z.string().nullable() });

type Step = { title: string; milestone: Milestone; at: number; results: Result[] };

/**
 * Feeds a running product with the experiment: one target, five vantages with a prober each, and the changes one after the
 * other with a marker each. Prints the address of each comparison, and what it says. Throws with what the product refused.
 */
export async function feedKalasearch(
  testbed: Testbed,
  url: string,
  token: string,
  say: (text: string) => void,
): Promise<void> {
  const product = new Product(url, token);
  const run = `KalaSearch ${new Date().toISOString().slice(0, 19).replace('T', ' ')}`;
  const vantages = await Promise.all(VANTAGES.map((vantage) => product.enrol(vantage, run)));
  say(`Measuring: the server before, and after each of ${Object.keys(CHANGES).length} changes.`);
  const { steps, port } = await measureSteps(
    testbed,
    vantages.map(({ ref }) => ref),
  );
  const target = await product.ask('POST', 'api/v1/targets', Target, {
    name: run,
    url: `https://${SEED_HOST}:${port}/`,
    vantages: { vantageIds: vantages.map(({ ref }) => ref.id) },
    settings: { caPem: testbed.caPem, resume: true },
  });
  for (const { ref, credential } of vantages) {
    const own = steps.flatMap(({ results }) => results.filter(({ vantage }) => vantage?.id === ref.id));
    await product.send(
      credential,
      own.map((result) => ({ ...result, targetId: target.id })),
    );
  }
  say(
    `All probes were made just now; in the product they are a minute apart, ${ROUNDS} of each state at each vantage.`,
  );
  say(`${product.url}targets/${target.id}`);
  const [first, ...changes] = steps;
  for (const { title, milestone, at } of changes) {
    const text = 'npm run seeds -- kalasearch: the server as the article changed it.';
    const marker = await product.ask('POST', 'api/v1/markers', Marker, {
      ...{ targetId: target.id, title, text, at: new Date(at).toISOString() },
    });
    await product.compare({ markerId: marker.id, targetId: target.id, minutes: ROUNDS, milestone }, title, say);
  }
  const cache = changes.find(({ title }) => title === CHANGES.cache.title);
  if (first && cache) {
    const title = 'All five changes of the article';
    const ranges = { before: windowOf(first), after: windowOf(cache), targetId: target.id };
    await product.compare({ ...ranges, title, milestone: 'handshake' }, title, say);
  }
  // It is not measured from here on.
  await product.ask('PATCH', `api/v1/targets/${target.id}`, Target, { enabled: false });
}

const windowOf = ({ at }: Step) => ({
  from: new Date(at).toISOString(),
  to: new Date(at + ROUNDS * MINUTE_MS).toISOString(),
});

/** The server before any change and after each more, at all vantages. The last state ends a minute ago. */
async function measureSteps(testbed: Testbed, refs: readonly VantageRef[]): Promise<{ steps: Step[]; port: number }> {
  const changes = [{ title: 'before', milestone: 'handshake' as const, to: {} }, ...Object.values(CHANGES)];
  const endAt = Date.now() - MINUTE_MS;
  const steps: Step[] = [];
  let [scenario, port] = [{ ...BEFORE }, 0];
  for (const [index, { title, milestone, to }] of changes.entries()) {
    scenario = { ...scenario, ...to, name: 'kalasearch' };
    port = Object.values(await testbed.serve([scenario]))[0] ?? 0;
    const at = endAt - (changes.length - index) * ROUNDS * MINUTE_MS;
    const results: Result[] = [];
    for (const [number, { rttMs }] of VANTAGES.entries()) {
      await testbed.setRtt(rttMs);
      for (let round = 0; round < ROUNDS; round += 1) {
        const vantage = refs[number] ?? null;
        const startedMs = at + (round + (number + 1) / (VANTAGES.length + 1)) * MINUTE_MS;
        results.push(...dated(await testbed.probe(port, { resume: true }), startedMs, vantage));
      }
    }
    steps.push({ title, milestone, at, results });
  }
  return { steps, port };
}

/** A sequence of probes as if it had begun at another time: the ids tell the time as well. */
function dated(results: readonly Result[], startedMs: number, vantage: VantageRef | null): Result[] {
  const ids = new Map(results.map(({ id }, index) => [id, uuidv7({ msecs: Math.round(startedMs) + index })]));
  return results.map((result, index) => ({
    ...undisturbed(result),
    id: ids.get(result.id) ?? result.id,
    mainId: result.mainId ? (ids.get(result.mainId) ?? null) : null,
    startedAt: new Date(startedMs + index).toISOString(),
    vantage,
  }));
}

/** A running product, by its API. */
class Product {
  readonly url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.url = url.endsWith('/') ? url : `${url}/`;
    this.#token = token;
  }

  /** One request. Throws with the product's own words where it refuses. */
  async ask<T extends z.ZodType>(
    method: string,
    path: string,
    schema: T,
    body?: object,
    credential = this.#token,
  ): Promise<z.infer<T>> {
    const headers = { authorization: `Bearer ${credential}`, 'content-type': 'application/json' };
    const response = await fetch(new URL(path, this.url), {
      ...{ method, headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: status ${response.status}: ${text.slice(0, 500)}`);
    return schema.parse(JSON.parse(text));
  }

  /** Makes a vantage, and a prober's credential for it. */
  async enrol({ ref }: SeedVantage, run: string): Promise<{ ref: VantageRef; credential: string }> {
    const labels = { ...ref, name: `${ref.name}, ${run}` };
    const { token, vantage } = await this.ask('POST', 'api/v1/enrolments', Enrolment, labels);
    const credential = `rtp_${randomBytes(32).toString('base64url')}`;
    const credentialHash = createHash('sha256').update(credential).digest('hex');
    const request = { token, credentialHash, engineVersion: ENGINE_VERSION };
    await this.ask('POST', 'api/ingest/enrol', z.unknown(), request);
    return { ref: { ...labels, id: vantage.id }, credential };
  }

  async send(credential: string, results: readonly Result[]): Promise<void> {
    const report = await this.ask('POST', 'api/ingest/results', IngestReport, { results }, credential);
    const [first] = report.rejected;
    if (first)
      throw new Error(`the product refused ${report.rejected.length} results: ${first.field} ${first.message}`);
  }

  /** Asks for a comparison and waits until it is there. */
  async compare(asked: object, title: string, say: (text: string) => void): Promise<void> {
    const made = await this.ask('POST', 'api/v1/comparisons', Ready, asked);
    const until = performance.now() + READY_WITHIN_MS;
    let now = made;
    while (now.status !== 'ready' && performance.now() < until) {
      await new Promise((settle) => setTimeout(settle, ASK_EVERY_MS));
      now = await this.ask('GET', `api/v1/comparisons/${made.id}`, Ready);
    }
    say(`${title}: ${this.url}comparisons/${made.id}\n  > ${now.summary ?? 'It is not ready yet.'}`);
  }
}
