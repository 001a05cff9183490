import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { formatTime } from '#i18n/time.ts';
import { collect } from '../support/process.ts';
import { spawnRoundtrip } from '../support/stack.ts';
import { expect, openTarget, test, url } from './fixtures.ts';
import { ownProduct } from './own-product.ts';

// A product whose target nobody probes: what its pages show was imported.
ownProduct({ args: ['--no-demo'] });

const NAME = 'Moved shop';
const ZONE = 'Asia/Shanghai';
const HOUR = 3_600_000;
const UNTIL = Math.floor(Date.now() / HOUR) * HOUR - 2 * HOUR;
/** Whole hours of three days. */
const HOURS = Array.from({ length: 72 }, (_, n) => UNTIL - (71 - n) * HOUR);
const PLACES = ['广东省,中国电信', '北京,联通', '浙江省,移动'];
const ROWS = HOURS.flatMap((at) => {
  const time = formatTime(at, ZONE, 'minute').replaceAll('-', '/');
  return PLACES.map((place, n) => `${time},${place},${4 + n}0,0.25,200`);
});
const MAP = 'at=时间,region=省份,carrier=运营商,tlsMs=握手,totalMs=总耗时:s,httpStatus=状态码';

/** A text of ASCII and GB 2312's letters in GB18030, by what its decoder reads. */
function gb18030(text: string): Buffer {
  const decoder = new TextDecoder('gb18030');
  const letters = new Map<string, number[]>();
  for (let first = 0xb0; first <= 0xf7; first += 1)
    for (let second = 0xa1; second <= 0xfe; second += 1)
      letters.set(decoder.decode(Uint8Array.of(first, second)), [first, second]);
  return Buffer.from([...text].flatMap((letter) => letters.get(letter) ?? letter.charCodeAt(0)));
}

/** What `roundtrip import` says of the other monitor's log. */
async function importLog(key: string): Promise<string> {
  const file = test.info().outputPath('log.csv');
  writeFileSync(file, gb18030(['时间,省份,运营商,握手,总耗时,状态码', ...ROWS, ''].join('\r\n')));
  const of = ['--target', NAME, '--format', 'csv', '--map', MAP, '--offset', '+08:00', '--source', 'Old monitor'];
  const child = spawnRoundtrip(['import', file, ...of], { ROUNDTRIP_SERVER: url(), ROUNDTRIP_KEY: key });
  const output = collect(child);
  return await once(child, 'close').then(output);
}

test('I take over what my other monitor measured and see it in the target’s chart', async ({ admin: page }) => {
  const create = async (path: string, data: object) =>
    await (await page.request.post(`/api/v1/${path}`, { data, headers: { origin: url() } })).json();
  await create('targets', { name: NAME, url: 'https://shop.example.org/', enabled: false });
  const { key } = await create('keys', { scope: 'write' });
  const [read, n] = ['The file is not UTF-8: it was read as GB18030.\n', ROWS.length];
  expect(await importLog(key)).toBe(`${read}${n} stored, 0 stored before, 0 older than results are kept\n`);

  const until = page.getByText(`Holds imported data until ${formatTime(UNTIL, ZONE, 'minute')}`, { exact: true });
  await openTarget(page, NAME);
  await expect(until).toBeVisible();
  await page.getByRole('link', { name: '7 d', exact: true }).click();
  await expect(page.getByText(`n = ${n}`, { exact: true }).first()).toBeVisible();
  await expect(page.getByRole('article').filter({ hasText: 'Telecom' })).toContainText(/n = 72\D.*40\.0 ms/);
  // Availability is of our own probers alone; the rest of the page is not.
  await page.goto(`${new URL(page.url()).pathname}?range=7d&stat=availability`);
  await expect(until).toBeVisible();
  await page.goBack();
  await page.getByRole('link', { name: 'Trend', exact: true }).first().click();
  await expect(page).toHaveURL(/\/trend/);
  await expect(until).toBeVisible();
  const panel = page.getByRole('region', { name: /^TLS P50 by location/ });
  await expect(panel.getByRole('row', { name: /^Telecom/ })).toContainText(/\d ms/);
  await panel.getByText('Save or share').click();
  const [values] = await Promise.all([
    page.waitForEvent('download'),
    panel.getByRole('button', { name: 'Values (CSV)' }).click(),
  ]);
  const [head, ...points] = readFileSync(await values.path(), 'utf8').split('\r\n');
  expect(head).toBe('\ufefftime,Telecom (ms),Unicom (ms),Mobile (ms)');
  const measured = points.filter((line) => /(,\d[\d.]*){3}$/.test(line));
  expect(measured.map((line) => Date.parse(line.split(',')[0] ?? ''))).toEqual(HOURS);

  await page.goto('/vantages');
  await page.locator('summary', { hasText: '3 imported vantages' }).click();
  const rows = page.getByRole('row', { name: /^Old monitor: / });
  await expect(rows).toHaveText(PLACES.map(() => /Imported.*imported, no prober/));
  expect(await importLog(key)).toBe(`${read}0 stored, ${n} stored before, 0 older than results are kept\n`);
});
