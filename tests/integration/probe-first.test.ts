import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { translator } from '#i18n/translator.ts';
import type { Ui } from '#i18n/ui.ts';
import { getPool } from '#server/database/database.ts';
import { listMeasurements } from '#server/measurements/read.ts';
import { storeAnswers, takeTasks } from '#server/measurements/tasks.ts';
import { probeFrom } from '../../app/probe/begin.ts';
import { testDatabase } from '../support/database.ts';
import { insertProber } from '../support/places.ts';
import { makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

const ui: Ui = { locale: 'en', t: translator('en'), timeZone: 'UTC', theme: 'system' };
const url = 'https://shop.example.org/';
const never = new AbortController().signal;
const vantages = ['CN-BJ', 'CN-GD', 'CN-SH'].flatMap((region) =>
  ['telecom', 'unicom'].map((carrier) => makeVantage(region, carrier)),
);

let drop: () => Promise<void>;
const prober = { id: '', vantageIds: vantages.map(({ id }) => id) };
beforeAll(async () => {
  ({ drop } = await testDatabase());
  prober.id = await insertProber(vantages);
  await getPool().query('update prober set last_seen_at = now()');
});
afterAll(() => drop());

const probe = (regions: string[], carriers: string[], most: number, input: object = {}) =>
  probeFrom(ui, new FormData(), { regions, carriers }, most, { url, demo: false, ...input });

/** Answers what is asked next, and says from where. */
async function answer(): Promise<string[]> {
  const { data } = await takeTasks(prober, never, 10_000);
  const results = data.map(({ vantage }) => {
    const result = makeResult({ targetId: '', vantage, startedAt: Date.now(), tls: 29 });
    return { ...result, targetId: null };
  });
  await storeAnswers(prober, { measurementId: data[0]?.measurementId ?? '', results });
  return data.map(({ vantage }) => `${vantage.region} ${vantage.carrier}`).toSorted();
}

describe('what a form probes', () => {
  it('is probed from the places of the form, an even spread of at most so many, and told in a line', async () => {
    const [everywhere, asked] = await Promise.all([probe([], [], 3), answer()]);
    expect(asked).toEqual(['CN-BJ telecom', 'CN-GD telecom', 'CN-SH telecom']);
    const { data } = await listMeasurements({ limit: 1 }, 'reader');
    const line = { text: '3 of 3 answered; TLS 29.0 ms to 29.0 ms', href: `/probe/${data[0]?.id}` };
    expect(everywhere).toEqual({ problem: null, errors: {}, values: {}, lines: [line] });
    const [there, from] = await Promise.all([probe(['CN-GD', 'CN-SH'], ['unicom'], 5, { name: 'shop' }), answer()]);
    expect(from).toEqual(['CN-GD unicom', 'CN-SH unicom']);
    expect(there.lines.map(({ text }) => text)).toEqual(['shop: 2 of 2 answered; TLS 29.0 ms to 29.0 ms']);
  });

  it('is refused in words where no vantage is, or where the server refuses it', async () => {
    const none = { problem: 'No vantage there can probe this URL.', lines: [] };
    expect(await probe(['CN-XZ'], [], 5)).toMatchObject(none);
    expect(await probe([], [], 5, { demo: true, name: 'shop' })).toMatchObject({
      problem: `shop: ${none.problem}`,
      lines: [],
    });
    const own = await probe([], [], 5, { url: 'https://127.0.0.1/' });
    expect(own.lines).toEqual([]);
    expect(Object.keys(own.errors)).toEqual(['url']);
  });
});
