import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Ajv } from 'ajv';
import { beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { ConfigurationExport, ConfigurationPlan } from '#contract/configuration.ts';
import { getPrisma } from '#server/database/database.ts';
import { insertProber } from '../support/places.ts';
import { prepareApi } from '../support/prepare.ts';
import { roundtrip } from '../support/roundtrip.ts';
import { makeVantage } from '../support/vantages.ts';

const PATH = '/api/v1/configuration';
const api = prepareApi({ ROUNDTRIP_RATE_LIMIT: '100000' });
beforeAll(async () => {
  await insertProber([makeVantage('CN-GD', 'telecom'), makeVantage('CN-BJ', 'unicom')]);
});

const apply = async (body: unknown, query = '') => await api.ask('PUT', `${PATH}${query}`, { body });
const planned = async (body: unknown, query = '') => (await apply(body, query)).json as ConfigurationPlan;
const exported = async () => (await api.ask('GET', PATH)).json as ConfigurationExport;
type Thing = { name?: string; comment?: string; managed: boolean };
/** What of a list is marked as kept as code. */
const marked = async (list: string) => {
  const { data } = (await api.ask('GET', `/api/v1/${list}`)).json as { data: Thing[] };
  return data.flatMap(({ name, comment, managed }) => (managed ? [name ?? comment] : []));
};
const said = ({ steps }: ConfigurationPlan) => steps.map(({ action, section, name }) => `${action} ${section} ${name}`);

const DOCUMENT = {
  targets: [
    { name: 'shop', url: 'https://shop.example.org/', tags: ['team/shop'], vantages: { names: ['CN-GD telecom'] } },
    {
      name: 'api',
      url: 'https://api.example.org/',
      settings: { request: { headers: [{ name: 'Authorization', value: 'Bearer of tests' }] } },
    },
  ],
  alertRules: [
    {
      kind: 'threshold',
      name: 'slow shop',
      metric: 'tls',
      params: { above: 300 },
      targets: ['shop'],
      severity: 'critical',
    },
  ],
  webhooks: [
    { name: 'ops', format: 'standard', url: 'https://hook.example.org/in', rules: ['slow shop'] },
    {
      name: 'chat',
      format: 'feishu',
      url: 'https://open.feishu.cn/open-apis/bot/v2/hook/00000000-0000-0000-0000-000000000000',
      secret: 'of-tests',
    },
  ],
  silences: [
    { name: 'maintenance', targets: ['shop'], cron: '0 2 * * 6', durationMinutes: 120, timeZone: 'Asia/Shanghai' },
    { name: 'holiday', startsAt: '2099-10-01T00:00:00+08:00', endsAt: '2099-10-08T00:00:00+08:00' },
  ],
};

it('a document makes what it names, and applied again changes nothing', async () => {
  const dry = await planned(DOCUMENT, '?dryRun=true');
  expect(dry).toMatchObject({ applied: false, unchanged: 0 });
  expect(await getPrisma().target.count()).toBe(0);
  const first = await planned(DOCUMENT);
  expect(first).toEqual({ ...dry, applied: true });
  expect(said(first)).toEqual([
    'create targets shop',
    'create targets api',
    'create alertRules slow shop',
    'create webhooks ops',
    'create webhooks chat',
    'create silences maintenance',
    'create silences holiday',
  ]);
  expect(await planned(DOCUMENT)).toEqual({ applied: true, unchanged: 7, steps: [] });
  const [rule] = await getPrisma().alertRule.findMany({ where: { name: 'slow shop' } });
  const shop = await getPrisma().target.findFirstOrThrow({ where: { name: 'shop' } });
  expect(rule?.targetIds).toEqual([shop.id]);
  expect(await getPrisma().check.count({ where: { targetId: shop.id, deletedAt: null } })).toBe(1);
});

it('what a document names is marked as kept as code, which is no change of it; a section that is left out keeps its marks', async () => {
  const lists = async () =>
    await Promise.all(['targets', 'alert-rules', 'webhooks', 'silences'].map((list) => marked(list)));
  const whole = [['shop', 'api'], ['slow shop'], ['ops', 'chat'], ['maintenance', 'holiday']];
  expect(await lists()).toEqual(whole);
  const read = async () => {
    const { json, headers } = await api.ask('GET', `/api/v1/targets/${shop.id}`);
    return { json, etag: headers.get('etag') };
  };
  const shop = await getPrisma().target.findFirstOrThrow({ where: { name: 'shop' } });
  const before = await read();
  const body = { managed: true };
  for (const [method, path] of [
    ['POST', '/api/v1/targets'],
    ['PATCH', `/api/v1/targets/${shop.id}`],
  ] as const)
    expect(await api.ask(method, path, { body: { url: 'https://x.example/', ...body } })).toMatchObject({
      status: 400,
    });
  expect((await apply({ targets: [{ ...DOCUMENT.targets[0], ...body }] })).status).toBe(400);
  // Neither a dry run nor a document that is applied once moves a mark.
  for (const query of ['?dryRun=true', '?managed=false']) await planned({ targets: [], webhooks: [] }, query);
  expect(await planned(DOCUMENT)).toMatchObject({ steps: [] });
  expect(await lists()).toEqual(whole);
  expect(await read()).toEqual(before);
  expect((await getPrisma().target.findUniqueOrThrow({ where: { id: shop.id } })).managedAt).toEqual(shop.managedAt);
  expect(await planned({ targets: [DOCUMENT.targets[0]], silences: [] })).toMatchObject({ steps: [] });
  expect(await lists()).toEqual([['shop'], ['slow shop'], ['ops', 'chat'], []]);
  expect(await read()).toEqual(before);
  await getPrisma().target.update({ where: { id: shop.id }, data: { managedAt: null, updatedAt: shop.updatedAt } });
  expect(await planned(DOCUMENT)).toMatchObject({ steps: [] });
  expect(await lists()).toEqual(whole);
  expect(await read()).toEqual(before);
});

it('what is exported, secrets masked, changes nothing either, and says nothing that is as by default', async () => {
  const document = await exported();
  expect(document.targets).toEqual([
    { ...DOCUMENT.targets[0], vantages: { regions: [], carriers: [], names: ['CN-GD telecom'] } },
    {
      ...DOCUMENT.targets[1],
      settings: { request: expect.objectContaining({ headers: [{ name: 'Authorization', value: '***' }] }) },
    },
  ]);
  expect(JSON.stringify(document)).not.toMatch(/of tests|of-tests|0000-0000/);
  const again = await planned(document);
  expect(again.steps).toEqual([]);
  expect(again.unchanged).toBeGreaterThan(5);
  expect(await exported()).toEqual(document);
});

it('a change names its fields, and what is not in the document stays without prune', async () => {
  const [shop] = DOCUMENT.targets;
  const document = { targets: [{ ...shop, periodSeconds: 30, settings: { tlsVersion: '1.2' } }] };
  const { steps } = await planned(document);
  expect(steps).toEqual([
    {
      section: 'targets',
      name: 'shop',
      action: 'change',
      fields: [
        { field: 'periodSeconds', before: 60, after: 30 },
        { field: 'settings.tlsVersion', before: null, after: '1.2' },
      ],
    },
  ]);
  expect(await getPrisma().target.count({ where: { deletedAt: null } })).toBe(2);
  const pruned = await planned({ targets: [shop], webhooks: [] }, '?prune=true');
  expect(said(pruned)).toEqual([
    'change targets shop',
    'delete webhooks chat',
    'delete webhooks ops',
    'delete targets api',
  ]);
  expect((await exported()).targets?.map(({ name }) => name)).toEqual(['shop']);
});

it('silences go by their comments; one without, or that is over, is in no document and stays', async () => {
  const ask = (body: object) => api.ask('POST', '/api/v1/silences', { body });
  await ask({});
  await ask({ comment: 'over', startsAt: '2020-01-01T00:00:00Z', endsAt: '2020-01-02T00:00:00Z' });
  const [, holiday] = DOCUMENT.silences;
  const later = { ...holiday, endsAt: '2099-10-09T00:00:00+08:00' };
  const { steps } = await planned({ silences: [later] }, '?prune=true');
  expect(steps).toEqual([
    {
      section: 'silences',
      name: 'holiday',
      action: 'change',
      fields: [{ field: 'endsAt', before: '2099-10-07T16:00:00.000Z', after: '2099-10-08T16:00:00.000Z' }],
    },
    { section: 'silences', name: 'maintenance', action: 'delete', fields: [] },
  ]);
  expect((await exported()).silences).toEqual([
    { name: 'holiday', startsAt: '2099-09-30T16:00:00.000Z', endsAt: '2099-10-08T16:00:00.000Z' },
  ]);
  expect(await getPrisma().silence.findMany({ select: { comment: true, createdBy: true } })).toEqual(
    expect.arrayContaining([
      { comment: '', createdBy: 'admin' },
      { comment: 'over', createdBy: 'admin' },
    ]),
  );
});

it('silences may have long comments, and one comment may be of several: these are in no document', async () => {
  const ask = async (comment: string) => {
    const { json } = await api.ask('POST', '/api/v1/silences', { body: { comment } });
    return (json as { id: string }).id;
  };
  const long = 'x'.repeat(1_000);
  const ids = [await ask(long), await ask('deploy'), await ask('deploy')];
  const document = await exported();
  expect(document.silences.map(({ name }) => name)).toEqual(['holiday', long]);
  expect(await planned(document, '?prune=true')).toMatchObject({ steps: [] });
  expect(await apply({ silences: [{ name: 'deploy' }] })).toMatchObject({
    status: 400,
    json: { errors: [{ field: 'silences.0.name', message: expect.stringContaining('of several') }] },
  });
  for (const id of ids) await api.ask('DELETE', `/api/v1/silences/${id}`);
});

it('a silence of a document that is over is not made, however often it is applied', async () => {
  const over = [
    { name: 'last year', endsAt: '2020-01-02T00:00:00Z' },
    { name: 'from then to then', startsAt: '2020-01-01T00:00:00Z', endsAt: '2020-01-02T00:00:00Z' },
    { name: 'each night of a week', cron: '0 2 * * *', durationMinutes: 60, endsAt: '2020-01-08T00:00:00Z' },
    { name: 'on a day that never comes', cron: '0 0 30 2 *', durationMinutes: 60 },
  ];
  for (let count = 0; count < 2; count += 1)
    expect(await planned({ silences: over })).toEqual({ applied: true, unchanged: 4, steps: [] });
});

it('of a document that is wrong anywhere nothing is done, and the place is named', async () => {
  const before = await exported();
  const refusals: [unknown, string][] = [
    [
      {
        targets: [
          { name: 'one', url: 'https://one.example/' },
          { name: 'two', url: 'https://10.0.0.1/' },
        ],
      },
      'targets.1.url',
    ],
    [
      { targets: [{ name: 'one', url: 'https://one.example/', vantages: { names: ['nowhere'] } }] },
      'targets.0.vantages.names.0',
    ],
    [
      {
        targets: [{ name: 'one', url: 'https://one.example/' }],
        alertRules: [{ kind: 'down', name: 'down', targets: ['two'] }],
      },
      'alertRules.0.targets.0',
    ],
    [{ alertRules: [{ kind: 'down', name: 'slow shop' }] }, 'alertRules.0.kind'],
    [{ silences: [{ name: 'x', cron: '99 2 * * *', durationMinutes: 60 }] }, 'silences.0.cron'],
    [
      { silences: [{ name: 'x', cron: '99 2 * * *', durationMinutes: 60, endsAt: '2099-01-01T00:00:00Z' }] },
      'silences.0.cron',
    ],
    [
      {
        targets: [
          { name: 'one', url: 'https://one.example/' },
          { name: 'one', url: 'https://two.example/' },
        ],
      },
      'targets.1.name',
    ],
    [{ webhooks: [{ name: 'new', format: 'feishu', url: 'https://open.feishu.cn/***' }] }, 'webhooks.0.url'],
    [{ targets: [{ name: 'one', url: 'https://one.example/', colour: 'red' }] }, 'targets.0'],
  ];
  for (const [document, field] of refusals) {
    const { status, json } = await apply(document);
    expect(status, field).toBe(400);
    expect(json).toMatchObject({ errors: [expect.objectContaining({ field: expect.stringContaining(field) })] });
  }
  expect(await exported()).toEqual(before);
});

it('two of one name have to be told apart first', async () => {
  const body = { name: 'twin', url: 'https://twin.example/' };
  for (const _each of [1, 2]) expect((await api.ask('POST', '/api/v1/targets', { body })).status).toBe(201);
  const { json } = await apply({ targets: [body] });
  expect(json).toMatchObject({ errors: [{ field: 'targets.0.name', message: expect.stringContaining('several') }] });
});

/** Runs `roundtrip` against the server, with this on its standard input. */
/** Runs a command against the server. */
const run = (args: string[], input = '', env: Record<string, string> = {}) =>
  roundtrip(args, { input, env: { ROUNDTRIP_SERVER: api.server.baseUrl, ROUNDTRIP_KEY: api.keys.write, ...env } });

it('a fleet is exported, applied to an empty server and exported again: the same bytes', async () => {
  const vantages = { names: ['CN-BJ unicom'] };
  const targets = Array.from({ length: 50 }, (_, n) => ({
    name: `target ${n}`,
    url: `https://t${n}.example/`,
    vantages,
  }));
  await planned(
    { targets, alertRules: DOCUMENT.alertRules.map((rule) => ({ ...rule, targets: ['target 7'] })) },
    '?prune=true',
  );
  const { stdout: file, stderr } = await run(['export']);
  expect(stderr).toBe('');
  await planned({ targets: [], alertRules: [], webhooks: [], silences: [] }, '?prune=true');
  expect(await exported()).toEqual({ targets: [], alertRules: [], webhooks: [], silences: [] });
  const dry = await run(['apply', '-', '--dry-run'], file);
  expect(dry.stdout).toMatch(
    /^\+ create target target 0\n(.*\n)*\+ create alert rule slow shop\n\+ create silence holiday\n52 to do, 0 unchanged \(dry run/,
  );
  const done = await run(['apply', '-'], file);
  expect(done).toMatchObject({ status: 0, stderr: '', stdout: expect.stringMatching(/52 done, 0 unchanged\n$/) });
  expect(await marked('targets')).toHaveLength(50);
  expect((await run(['export'])).stdout).toBe(file);
  // An editor finds the schema by the first line, and by that what is wrong with a file.
  const [, address = ''] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(file) ?? [];
  const isValid = new Ajv({ strict: false, validateFormats: false }).compile(await (await fetch(address)).json());
  expect(isValid(parse(file)), JSON.stringify(isValid.errors)).toBe(true);
  expect(isValid({ targets: [{ name: 'x', url: 'https://x.example/', period: 60 }] })).toBe(false);
  expect((await run(['apply', '-'], file)).stdout).toBe('0 done, 52 unchanged\n');
});

it('the command names line and column of what the server refuses', async () => {
  const host = '$' + '{HOST}';
  const file = `targets:\n  - name: one\n    url: https://${host}/\n  - { name: two, url: "https://10.0.0.1/" }\n`;
  const refused = await run(['apply', '-'], file, { HOST: 'one.example' });
  expect(refused.status).toBe(2);
  expect(refused.stderr).toMatch(/^roundtrip: -:4:23: targets\.1\.url is loopback or private/);
  const unknown = await run(['apply', '-'], file);
  expect(unknown.stderr).toBe('roundtrip: -:3:10: the environment has no HOST.\n');
});

it('the command takes the targets of Gatus over, says what it leaves, and leaves what the server refuses', async () => {
  await planned({ targets: [], alertRules: [], webhooks: [], silences: [] }, '?prune=true');
  const file = `endpoints:
  - name: front-end
    group: core
    url: https://shop.example.org/health
    interval: 5m
    conditions: ["[STATUS] == 200", "[RESPONSE_TIME] < 150"]
  - { name: inside, url: "https://10.0.0.1/", conditions: ["[STATUS] == 200"] }
  - { name: icmp-ping, url: "icmp://example.org", conditions: ["[CONNECTED] == true"] }
`;
  const left = `Not taken over:
  icmp-ping: its address begins with icmp://, not with https://
  inside: url is loopback or private (10.0.0.1): allow private addresses in Settings, or start the server with ROUNDTRIP_ALLOW_PRIVATE_TARGETS=1
Taken over without a part:
  front-end: the condition [RESPONSE_TIME] < 150 (make a rule of the kind threshold)
`;
  const dry = await run(['apply', '-', '--from', 'gatus', '--dry-run'], file);
  expect(dry).toMatchObject({
    status: 0,
    stderr: '',
    stdout: `+ create target front-end\n1 to do, 0 unchanged (dry run: nothing was done)\n${left}`,
  });
  expect((await exported()).targets).toEqual([]);
  const done = await run(['apply', '-', '--from', 'gatus'], file);
  expect(done.stdout).toBe(`+ create target front-end\n1 done, 0 unchanged\n${left}`);
  expect((await exported()).targets).toEqual([
    {
      name: 'front-end',
      url: 'https://shop.example.org/health',
      tags: ['core'],
      periodSeconds: 300,
      settings: { redirects: 10, expect: { status: ['200'], bodyContains: null, bodyLacks: null } },
    },
  ]);
  expect((await run(['apply', '-', '--from', 'gatus'], file)).stdout).toBe(`0 done, 1 unchanged\n${left}`);
  expect(await marked('targets')).toEqual([]);
  const pruning = await run(['apply', '-', '--from', 'gatus', '--prune'], file);
  expect([pruning.status, pruning.stderr]).toEqual([2, expect.stringContaining('--from')]);
});

it('the command takes the monitors of a backup of Uptime Kuma over', async () => {
  const monitors = [{ id: 2, name: 'shop', type: 'http', url: 'https://shop.example.cn/', interval: 20 }];
  const file = JSON.stringify({ version: '1.23.16', notificationList: [], monitorList: monitors });
  const { stdout } = await run(['apply', '-', '--from', 'uptime-kuma'], file);
  expect(stdout).toBe('+ create target shop\n1 done, 0 unchanged\n');
});

it('the command takes the jobs of blackbox_exporter over, with their modules from a file beside', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'roundtrip-modules-'));
  const modules = path.join(folder, 'blackbox.yml');
  writeFileSync(modules, 'modules: { tls_connect: { prober: tcp, tcp: { tls: true } } }');
  const file = `scrape_configs:
  - job_name: mail
    metrics_path: /probe
    params: { module: [tls_connect] }
    static_configs: [{ targets: ["mail.example.org:993"] }]
    relabel_configs: [{ source_labels: [__address__], target_label: __param_target }]
`;
  const done = await run(['apply', '-', '--from', 'blackbox', '--modules', modules], file);
  const alone = await run(['apply', '-', '--from', 'gatus', '--modules', modules], 'endpoints: []');
  rmSync(folder, { recursive: true });
  expect(done).toMatchObject({ stderr: '', stdout: '+ create target mail.example.org:993\n1 done, 0 unchanged\n' });
  expect([alone.status, alone.stderr]).toEqual([2, 'roundtrip: --modules goes with --from blackbox.\n']);
});
