import { v7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { Incident } from '#contract/incident.ts';
import { getPrisma } from '#server/database/database.ts';
import { openApiDocument } from '#server/http/openapi.ts';
import { type MadeIncident, storeIncident } from '../support/incident-of.ts';
import { insertProber, insertTarget } from '../support/places.ts';
import { prepareApi } from '../support/prepare.ts';
import { makeVantage } from '../support/vantages.ts';

const vantage = makeVantage('CN-GD', 'telecom');
let targetId: string;
const api = prepareApi();
beforeAll(async () => {
  targetId = await insertTarget();
  await insertProber([vantage]);
});

const insertIncident = (made: MadeIncident) => storeIncident({ targetId, vantage }, made);

const idsOf = (json: unknown) => (json as { data: { id: string }[] }).data.map(({ id }) => id);

describe('incidents', () => {
  let ids: string[];
  beforeAll(async () => {
    ids = [
      await insertIncident({ kind: 'spike', minute: 0 }),
      await insertIncident({ kind: 'regression', minute: 1, effectMs: 5 }),
      await insertIncident({ kind: 'regression', minute: 2, effectMs: 90, region: 'CN-BJ', resolution: 'accepted' }),
      await insertIncident({ kind: 'improvement', minute: 3, effectMs: -30, status: 'resolved' }),
    ];
  });

  it('are listed newest first, in pages, by what they are about', async () => {
    const all = await api.ask('GET', '/api/v1/incidents');
    expect(idsOf(all.json)).toEqual(ids.toReversed());
    const first = await api.ask('GET', '/api/v1/incidents?limit=3');
    const { nextCursor } = first.json as { nextCursor: string };
    const second = await api.ask('GET', `/api/v1/incidents?limit=3&cursor=${nextCursor}`);
    expect([...idsOf(first.json), ...idsOf(second.json)]).toEqual(ids.toReversed());
    expect(second.json).toMatchObject({ nextCursor: null });
    const of = async (query: string) => idsOf((await api.ask('GET', `/api/v1/incidents?${query}`)).json);
    expect(await of('kind=spike')).toEqual([ids[0]]);
    expect(await of('state=open')).toEqual([ids[1], ids[0]]);
    expect(await of('state=accepted')).toEqual([ids[2]]);
    expect(await of('state=resolved,quiet,standing')).toEqual([ids[3]]);
    expect(await of('notUseful=true')).toEqual([]);
    expect(await of('status=open,acknowledged')).toEqual([ids[1], ids[0]]);
    expect(await of('region=CN-BJ')).toEqual([ids[2]]);
    expect(await of('resolution=accepted,by_hand')).toEqual([ids[2]]);
    expect(await of('carrier=unicom')).toEqual([]);
    expect(await of(`target=${targetId}&from=2026-11-20T12:01:00Z&to=2026-11-20T12:03:00Z`)).toEqual([ids[2], ids[1]]);
    expect(await of(`target=${v7()}`)).toEqual([]);
  });

  it('say what they would be without themselves, where that is known', async () => {
    const at = '2026-11-20T20:00:00.000Z';
    const stored = { ratio: 1.1, siblings: 4, at };
    await getPrisma().incident.update({ where: { id: ids[2] ?? '' }, data: { counterfactual: stored } });
    const [known, unknown] = await Promise.all([ids[2], ids[1]].map((id) => api.ask('GET', `/api/v1/incidents/${id}`)));
    const { before, after, series } = Incident.parse(known?.json).affected;
    const counterfactual = { withoutMs: (before ?? 0) * 1.1, nowMs: after, series, siblings: 4, at };
    expect(known?.json).toMatchObject({ counterfactual });
    expect(unknown?.json).toMatchObject({ counterfactual: null });
    const listed = await api.ask('GET', '/api/v1/incidents?region=CN-BJ');
    expect(listed.json).toMatchObject({ data: [{ counterfactual }] });
    const { json } = await api.ask('GET', '/api/v1/openapi.json');
    type Schema = { properties?: object; required?: string[] };
    const { schemas } = (json as { components: { schemas: Record<string, Schema> } }).components;
    expect(Object.keys(schemas.IncidentCounterfactual?.properties ?? {})).toEqual(Object.keys(counterfactual));
    expect(schemas.Incident?.required).toContain('counterfactual');
  });

  it('refuse what is no filter, and name it', async () => {
    for (const [query, field] of [
      ['kind=spikes', 'kind'],
      ['status=closed', 'status'],
      ['state=closed', 'state'],
      ['notUseful=maybe', 'notUseful'],
      ['resolution=mended', 'resolution'],
      ['cursor=abc', 'cursor'],
      ['limit=1001', 'limit'],
      ['from=2026-11-21T00:00:00Z&to=2026-11-20T00:00:00Z', 'from'],
    ] as const) {
      const answer = await api.ask('GET', `/api/v1/incidents?${query}`);
      expect(answer.json).toMatchObject({ status: 400, errors: [{ field }] });
    }
  });

  it('are acknowledged and resolved once, in the name of whoever did it', async () => {
    const path = `/api/v1/incidents/${ids[0]}`;
    const { write, read } = api.keys;
    expect((await api.ask('PATCH', path, { key: read, body: { action: 'acknowledge' } })).status).toBe(403);
    const [one, two] = await Promise.all(
      ['mine', 'mine too'].map((note) => api.ask('PATCH', path, { key: write, body: { action: 'acknowledge', note } })),
    );
    expect([one?.status, two?.status].sort()).toEqual([200, 409]);
    const resolved = await api.ask('PATCH', path, { key: write, body: { action: 'resolve', note: 'rolled back' } });
    expect(resolved.json).toMatchObject({
      status: 'resolved',
      resolution: 'by_hand',
      acknowledgedBy: 'write',
      events: [
        { kind: 'acknowledged', params: { by: 'write' } },
        { kind: 'resolved', text: 'rolled back', params: { by: 'write', reason: 'by_hand' } },
      ],
    });
    expect((await api.ask('PATCH', path, { body: { action: 'resolve' } })).status).toBe(409);
    expect((await api.ask('PATCH', path, { body: { action: 'reopen' } })).json).toMatchObject({
      errors: [{ field: 'action' }],
    });
    for (const [body, field] of [
      [{ action: 'merge' }, 'into'],
      [{ action: 'split', cells: [] }, 'cells'],
      [{ action: 'accept', into: v7() }, 'into'],
    ] as const)
      expect((await api.ask('PATCH', path, { body })).json).toMatchObject({ status: 400, errors: [{ field }] });
    const late = await api.ask('PATCH', path, { body: { action: 'accept' } });
    expect(late.json).toMatchObject({ status: 409, errors: [{ field: 'action' }] });
    const said = await api.ask('PATCH', path, { key: write, body: { action: 'not_useful' } });
    expect(said.json).toMatchObject({ notUseful: { by: 'write' }, resolution: 'by_hand' });
    expect((await api.ask('PATCH', path, { body: { action: 'undo_not_useful' } })).json).toMatchObject({
      notUseful: null,
    });
    expect((await api.ask('GET', `/api/v1/incidents/${v7()}`)).status).toBe(404);
  });

  it('that last are listed as regressions, the largest effect first', async () => {
    const of = async (query: string) => idsOf((await api.ask('GET', `/api/v1/regressions?${query}`)).json);
    expect(await of('')).toEqual([ids[2], ids[1]]);
    expect(await of('kind=regression,improvement&order=ratio')).toEqual([ids[2], ids[3], ids[1]]);
    const first = await api.ask('GET', '/api/v1/regressions?limit=1');
    const { nextCursor } = first.json as { nextCursor: string };
    expect(await of(`limit=1&cursor=${nextCursor}`)).toEqual([ids[1]]);
    expect((await api.ask('GET', '/api/v1/regressions?cursor=zzz')).status).toBe(400);
  });
});

describe('markers', () => {
  it('are made, listed newest first, read and deleted', async () => {
    const body = { title: 'deploy 42', targetId, at: '2026-11-20T11:00:00Z', url: 'https://ci.example.org/42' };
    const made = await api.ask('POST', '/api/v1/markers', { key: api.keys.write, body });
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({
      title: 'deploy 42',
      targetId,
      at: '2026-11-20T11:00:00.000Z',
      createdBy: 'write',
    });
    const everywhere = await api.ask('POST', '/api/v1/markers', { body: { title: 'router change' } });
    const listed = await api.ask('GET', `/api/v1/markers?target=${targetId}`);
    expect(idsOf(listed.json)).toEqual([everywhere, made].map(({ json }) => (json as { id: string }).id));
    const path = made.headers.get('location') ?? '';
    expect((await api.ask('GET', path)).json).toEqual(made.json);
    expect((await api.ask('DELETE', path)).status).toBe(204);
    expect((await api.ask('DELETE', path)).status).toBe(404);
  });

  it('refuse links that a browser would run, and targets that there are not', async () => {
    for (const [body, field] of [
      [{ title: 'x', url: 'javascript:alert(1)' }, 'url'],
      [{ title: 'x', targetId: v7() }, 'targetId'],
      [{ title: '' }, 'title'],
      [{ title: 'x'.repeat(201) }, 'title'],
    ] as const) {
      const answer = await api.ask('POST', '/api/v1/markers', { body });
      expect(answer.json).toMatchObject({ status: 400, errors: [{ field }] });
    }
  });
});

describe('alert rules', () => {
  it('are there from the start, one of each kind that needs no number', async () => {
    const { json } = await api.ask('GET', '/api/v1/alert-rules');
    const kinds = (json as { data: { kind: string }[] }).data.map(({ kind }) => kind);
    expect(kinds).toEqual(['detector', 'down', 'certificate', 'staple', 'silent']);
    const [detector, down] = (json as { data: { id: string; achieved?: object }[] }).data;
    expect(detector?.achieved).toEqual({ days: 1, pages: 0, falsePages: 0, falsePerWeek: 0 });
    expect((await api.ask('GET', `/api/v1/alert-rules/${detector?.id}`)).json).toEqual(detector);
    expect(down).not.toHaveProperty('achieved');
  });

  it('are made, changed and deleted', async () => {
    const body = { kind: 'threshold', name: 'slow', metric: 'tls', params: { above: 300 }, targetIds: [targetId] };
    const made = await api.ask('POST', '/api/v1/alert-rules', { body });
    expect(made.json).toMatchObject({ ...body, params: { stat: 'p95', above: 300, below: null }, enabled: true });
    const path = made.headers.get('location') ?? '';
    const changed = await api.ask('PATCH', path, { body: { severity: 'critical', reminderMinutes: 60 } });
    expect(changed.json).toMatchObject({ ...body, params: { above: 300 }, severity: 'critical', reminderMinutes: 60 });
    expect((await api.ask('DELETE', path)).status).toBe(204);
    expect((await api.ask('GET', path)).status).toBe(404);
  });

  it('refuse what does not go together, and name it', async () => {
    const threshold = { kind: 'threshold', name: 'slow', metric: 'tls', params: { above: 1 } };
    for (const [body, field] of [
      [{ ...threshold, params: {} }, 'params.above'],
      [{ ...threshold, params: { above: 1, below: 2 } }, 'params.above'],
      [{ ...threshold, params: { above: 1, windowMinutes: 1_441 } }, 'params.windowMinutes'],
      [{ ...threshold, minCells: 0 }, 'minCells'],
      [{ ...threshold, reminderMinutes: 4 }, 'reminderMinutes'],
      [{ ...threshold, targetIds: [v7()] }, 'targetIds.0'],
      [{ ...threshold, metric: undefined }, 'metric'],
      [{ kind: 'certificate', name: 'c', params: { days: 366 } }, 'params.days'],
      [{ kind: 'silent', name: 's', params: { periods: 1 } }, 'params.periods'],
      [{ kind: 'odd', name: 's' }, 'kind'],
    ] as const) {
      const answer = await api.ask('POST', '/api/v1/alert-rules', { body });
      expect(answer.json, JSON.stringify(body)).toMatchObject({ status: 400, errors: [{ field }] });
    }
  });
});

describe('silences', () => {
  it('are made, changed and deleted, and say whether they hold', async () => {
    const made = await api.ask('POST', '/api/v1/silences', { body: { regions: ['CN-GD'], comment: 'cut-over' } });
    expect(made.json).toMatchObject({ active: true, createdBy: 'admin', cron: null, endsAt: null, nextAt: null });
    const path = made.headers.get('location') ?? '';
    const weekly = {
      cron: '0 3 * * 6',
      durationMinutes: 60,
      timeZone: 'Asia/Shanghai',
      startsAt: '2100-01-01T00:00:00Z',
    };
    const changed = await api.ask('PATCH', path, { body: weekly });
    // The first Saturday of 2100, 03:00 in Shanghai.
    expect(changed.json).toMatchObject({ active: false, regions: ['CN-GD'], nextAt: '2100-01-01T19:00:00.000Z' });
    expect((await api.ask('DELETE', path)).status).toBe(204);
    expect((await api.ask('GET', path)).status).toBe(404);
  });

  it('refuse times that do not go together, and name the field', async () => {
    for (const [body, field] of [
      [{ startsAt: '2026-11-20T12:00:00Z', endsAt: '2026-11-20T12:00:00Z' }, 'endsAt'],
      [{ cron: '0 3 * * 6' }, 'durationMinutes'],
      [{ durationMinutes: 10 }, 'cron'],
      [{ cron: 'every day', durationMinutes: 10 }, 'cron'],
      [{ cron: '0 0 3 * * 6', durationMinutes: 10 }, 'cron'],
      [{ timeZone: 'Asia/Peking' }, 'timeZone'],
      [{ cron: '0 3 * * 6', durationMinutes: 10_081 }, 'durationMinutes'],
      [{ kinds: ['slow'] }, 'kinds.0'],
    ] as const) {
      const answer = await api.ask('POST', '/api/v1/silences', { body });
      expect(answer.json, JSON.stringify(body)).toMatchObject({ status: 400, errors: [{ field }] });
    }
  });
});

describe('why probes fail', () => {
  it('is a field of the incidents that are about failures, and null of all others', async () => {
    const failure = { phase: 'tls', reason: 'cert_expired', source: 'target', share: 0.875 };
    const [down, other] = [await insertIncident({ kind: 'down', minute: 900 }), await insertIncident({ minute: 901 })];
    await getPrisma().incident.update({ where: { id: down }, data: { evidence: { vantagesDown: 1, failure } } });
    expect((await api.ask('GET', `/api/v1/incidents/${down}`)).json).toMatchObject({ failure });
    expect((await api.ask('GET', `/api/v1/incidents/${other}`)).json).toMatchObject({ failure: null });
    // Targets fail each for a reason of their own.
    await getPrisma().incident.update({ where: { id: down }, data: { targetId: null } });
    expect((await api.ask('GET', `/api/v1/incidents/${down}`)).json).toMatchObject({ failure: null });
  });

  it('is asked for by target and range, and nothing is said where nothing was measured', async () => {
    const range = 'from=2026-11-20T00:00:00Z&to=2026-11-20T01:00:00Z';
    const answer = await api.ask('GET', `/api/v1/targets/${targetId}/failures?${range}`);
    expect(answer.json).toEqual({
      targetId,
      from: '2026-11-20T00:00:00.000Z',
      to: '2026-11-20T01:00:00.000Z',
      probes: 0,
      availability: null,
      places: [],
      failures: [],
    });
    expect((await api.ask('GET', `/api/v1/targets/${v7()}/failures`)).status).toBe(404);
    expect(
      (await api.ask('GET', `/api/v1/targets/${targetId}/failures?from=2026-11-21T00:00:00Z&to=2026-11-20T00:00:00Z`))
        .status,
    ).toBe(400);
  });
});

describe('an instant', () => {
  /** 1969 and the year 10000 by UTC, whatever the text says. */
  const OUTSIDE = [
    '1970-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-12:00',
    '9999-12-31T23:59:59Z',
    '9001-01-01T00:00:00Z',
  ];
  const LAST = '9000-12-31T23:59:59.999Z';
  const INSIDE = [LAST, `2026-11-20T12:00:00.${'9'.repeat(300)}Z`];
  const encoded = encodeURIComponent;
  const asked = Object.entries(openApiDocument().paths ?? {}).flatMap(([template, operations]) =>
    (operations.get?.parameters ?? []).flatMap((parameter) =>
      'in' in parameter && parameter.in === 'query' && JSON.stringify(parameter.schema).includes('"date-time"')
        ? [{ template, name: parameter.name ?? '' }]
        : [],
    ),
  );
  const bodies = (at: string) =>
    [
      ['/api/v1/silences', { endsAt: at, comment: 'a release' }],
      ['/api/v1/silences', { startsAt: at, endsAt: null, comment: 'a release' }],
      ['/api/v1/markers', { title: 'a release', at }],
      ['/api/v1/markers', { title: 'a release', at, targetId, compareMinutes: 1_440 }],
      [
        '/api/v1/comparisons',
        {
          targetId,
          before: { from: '2026-11-20T12:00:00Z', to: '2026-11-20T13:00:00Z' },
          after: { from: '2026-11-20T14:00:00Z', to: at },
        },
      ],
    ] as const;

  it('outside the years 1970 to 9000 is refused by every query, and one inside breaks none', async () => {
    expect(asked.length).toBeGreaterThan(20);
    for (const { template, name } of asked) {
      const path = template.replace('{id}', targetId).replace(/\{\w+\}/g, v7());
      for (const at of OUTSIDE)
        expect((await api.ask('GET', `${path}?${name}=${encoded(at)}`)).status, `${path} ${name} ${at}`).toBe(400);
      for (const at of INSIDE)
        expect((await api.ask('GET', `${path}?${name}=${encoded(at)}`)).status, `${path} ${name}`).toBeLessThan(500);
    }
  });

  it('outside of them stores nothing, and the last one can be read again', async () => {
    const lists = ['/api/v1/silences', '/api/v1/markers', '/api/v1/comparisons'];
    const counts = async () => {
      const answers = await Promise.all(lists.map((path) => api.ask('GET', path)));
      return answers.map(({ status, json }) => [status, (json as { data: unknown[] }).data.length] as const);
    };
    const before = await counts();
    for (const at of OUTSIDE)
      for (const [path, body] of bodies(at))
        expect((await api.ask('POST', path, { body })).status, `${path} ${at}`).toBe(400);
    expect(await counts()).toEqual(before);
    for (const [path, body] of bodies(LAST))
      expect((await api.ask('POST', path, { body })).status, path).toBeLessThan(500);
    const [silences, markers, comparisons] = (await counts()).map(([status, count], n) => [
      status,
      (count ?? 0) - (before[n]?.[1] ?? 0),
    ]);
    expect([silences, markers, comparisons?.[0]]).toEqual([[200, 2], [200, 2], 200]);
  });
});
