import { afterAll, beforeAll, expect, it } from 'vitest';
import { MeasurementCreate } from '#contract/measurement.ts';
import { testDatabase } from '../support/database.ts';
import { makeVantage } from '../support/vantages.ts';

// A process of its own: the environment allows no private address, as it does by default, and few measurements.
process.env.ROUNDTRIP_ALLOW_PRIVATE_TARGETS = '0';
process.env.ROUNDTRIP_MEASUREMENTS_PER_KEY = '3';
process.env.ROUNDTRIP_MEASUREMENTS_PER_HOST = '4';
process.env.ROUNDTRIP_SECRET = 'a secret of the tests, and of them alone';

let drop: () => Promise<void>;
beforeAll(async () => {
  ({ drop } = await testDatabase([makeVantage('CN-GD', 'telecom')]));
});
afterAll(() => drop());

it.each([
  ['a loopback address', { url: 'https://127.0.0.1/' }, 'url'],
  ['a private address', { url: 'https://10.1.2.3:8443/x' }, 'url'],
  ['a mapped loopback address', { url: 'https://[::ffff:127.0.0.1]/' }, 'url'],
  ['a local name', { url: 'https://printer.local/' }, 'url'],
  ['a fixed private address', { url: 'https://a.example/', settings: { address: '192.168.1.1' } }, 'settings.address'],
  ['a metadata service', { url: 'https://a.example/', settings: { address: '169.254.169.254' } }, 'settings.address'],
  ['a private resolver', { url: 'https://a.example/', settings: { resolver: '10.0.0.1' } }, 'settings.resolver'],
  [
    'a setting no probe can work with',
    { url: 'https://a.example/', settings: { caPem: 'nonsense' } },
    'settings.caPem',
  ],
  ['an unknown vantage', { url: 'https://a.example/', vantageIds: [makeVantage('CN-BJ', 'x').id] }, 'vantageIds.0'],
  ['a place without a vantage', { url: 'https://a.example/', locations: [{ region: 'CN-BJ' }] }, 'locations.0'],
  ['a target that is not there', { targetId: makeVantage('CN-BJ', 'x').id }, 'targetId'],
  ['the mask of a secret', { url: 'https://a.example/?token=***' }, 'url'],
])('%s is refused by its field', async (_what, input, field) => {
  const { createMeasurement } = await import('#server/measurements/measurements.ts');
  const made = createMeasurement(MeasurementCreate.parse(input), { name: 'ci', limitBy: 'key:ci', viewer: 'editor' });
  await expect(made).rejects.toMatchObject({ code: 'invalid', fields: [expect.objectContaining({ field })] });
});

it('gives a public URL to probers without the right to private addresses', async () => {
  const { createMeasurement } = await import('#server/measurements/measurements.ts');
  const { getPool } = await import('#server/database/database.ts');
  await getPool().query('update prober set last_seen_at = now()');
  const { takeTasks } = await import('#server/measurements/tasks.ts');
  const { vantages } = await createMeasurement(MeasurementCreate.parse({ url: 'https://a.example/' }), {
    name: 'ci',
    limitBy: 'key:ci',
    viewer: 'editor',
  });
  const prober = { id: vantages[0]?.vantage.id ?? '', vantageIds: vantages.map(({ vantage }) => vantage.id) };
  const { data: tasks } = await takeTasks(prober, new AbortController().signal, 0);
  expect(tasks.map(({ allowPrivate }) => allowPrivate)).toEqual([false]);
});

it.each([
  ['a key', 3, '3 measurements a minute.', () => 'key:busy'],
  ['a host', 4, '4 measurements a minute of one host.', (count: number) => `key:${count}`],
])('%s has as many a minute as the environment says', async (of, most, message, limitBy) => {
  const { createMeasurement } = await import('#server/measurements/measurements.ts');
  const input = MeasurementCreate.parse({ url: `https://${of.replace(' ', '-')}.example/` });
  const make = (count: number) => createMeasurement(input, { name: 'ci', limitBy: limitBy(count), viewer: 'editor' });
  for (let count = 0; count < most; count += 1) await make(count);
  await expect(make(most)).rejects.toMatchObject({ code: 'rate_limited', message: `At most ${message}` });
});
