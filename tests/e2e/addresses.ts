import { expect, type Page, url } from './fixtures.ts';

/** Addresses of every page that needs no incident, by its folder in app/. */
export const PLAIN = [
  '/',
  '/targets/[id]',
  '/targets/[id]/advice',
  '/targets/[id]/trend',
  '/targets/[id]/results',
  '/targets/[id]/edit',
  '/wall',
  '/targets/new',
  '/results/[id]',
  '/probe',
  '/probe/[id]',
  '/probe/[id]/[vantage]',
  '/comparisons',
  '/comparisons/[id]',
  '/shared/[token]',
  '/shared/[status]',
  '/shared/[token]/wall',
  '/vantages',
  '/vantages/new',
  '/vantages/[id]/edit',
  '/settings',
];

/** Of every page of alerting. */
export const ALERTING = [
  '/incidents?state=all',
  '/incidents/[id]',
  '/incidents/[charted]',
  '/regressions?direction=both',
  '/rules',
  '/rules/new?kind=detector',
  '/rules/new',
  '/rules/[id]/edit',
  '/silences',
  '/silences/new',
  '/webhooks',
  '/webhooks/new',
  '/webhooks/new?format=email',
  '/webhooks/[id]',
  '/webhooks/[id]/edit',
  '/webhooks/[id]/deliveries/[delivery]',
];

/** Of those who are not signed in. */
export const SIGNED_OUT = ['/login'];

/** The addresses with what they name, such as `/targets/[id]` by `/targets/0190…`. */
export const named = (addresses: string[], names: Record<string, string>): string[] =>
  addresses.map((address) => Object.entries(names).reduce((left, [folder, own]) => left.replace(folder, own), address));

/** What addresses of `PLAIN` name: things of the demo, and a comparison and a measurement that are made for it. */
export async function plainNames(page: Page): Promise<Record<string, string>> {
  const { list, post } = api(page);
  const targets = await list('targets');
  const target = targets.find(({ name }) => name === 'legacy')?.id;
  // Of another target than what the tests of the form measure.
  const measured = targets.find(({ name, demo }) => demo && name !== 'legacy')?.url;
  // From before the day that the overview tells of.
  const window = (from: number, to: number) => ({ from: hoursAgo(from), to: hoursAgo(to) });
  const windows = { before: window(32, 30), after: window(28, 26) };
  const [comparison, measurement, results, vantages] = await Promise.all([
    post('comparisons', { targetId: target, ...windows }),
    post('measurements', { url: measured }),
    list(`results?target=${target}`),
    list('vantages'),
  ]);
  const { path } = await post(`comparisons/${comparison.id}/share`);
  const status = await post('status-pages', { title: 'State of everything' });
  return {
    '/targets/[id]': `/targets/${target}`,
    '/results/[id]': `/results/${results[0]?.id}`,
    '/probe/[id]': `/probe/${measurement.id}`,
    '/[vantage]': `/${measurement.vantages?.[0]?.vantage.id}`,
    '/comparisons/[id]': `/comparisons/${comparison.id}`,
    '/shared/[token]/wall': `${status.path}/wall`,
    '/shared/[status]': String(status.path),
    '/shared/[token]': String(path),
    '/vantages/[id]': `/vantages/${vantages[0]?.id}`,
  };
}

/** What addresses of `ALERTING` name but incidents, which take the demo some minutes. A delivery is made for it. */
export async function alertingNames(page: Page): Promise<Record<string, string>> {
  const { list, post } = api(page);
  const [rules, webhooks] = await Promise.all([list('alert-rules'), list('webhooks')]);
  const webhook = webhooks.find(({ demo }) => demo)?.id;
  const delivery = await post(`webhooks/${webhook}/test`);
  return {
    '/rules/[id]': `/rules/${rules[0]?.id}`,
    '/webhooks/[id]': `/webhooks/${webhook}`,
    '/deliveries/[delivery]': `/deliveries/${delivery.id}`,
  };
}

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

type Posted = { id: string; path?: string; vantages?: { vantage: { id: string } }[] };
type Listed = { id: string; name: string; url: string; demo: boolean };

/** The API with the session of this page. */
function api({ request }: Page) {
  const list = async (path: string): Promise<Listed[]> => (await (await request.get(`/api/v1/${path}`)).json()).data;
  const post = async (path: string, data: object = {}): Promise<Posted> => {
    const answer = await request.post(`/api/v1/${path}`, { data, headers: { origin: url() } });
    expect(answer.ok(), await answer.text()).toBe(true);
    return await answer.json();
  };
  return { list, post };
}
