import { describe, expect, it } from 'vitest';
import type { StorableResult, VantageRef } from '#contract/result.ts';
import { createComparison } from '#server/comparisons/comparisons.ts';
import { getPool, getPrisma } from '#server/database/database.ts';
import { getIncident } from '#server/incidents/incidents.ts';
import { createMarker } from '#server/markers/markers.ts';
import { textOf } from '#server/webhooks/text.ts';
import { makeDetection, record } from '../support/detections.ts';
import { incidentScene } from '../support/incident-scene.ts';
import { insertMinutes } from '../support/minutes.ts';
import { insertTarget } from '../support/places.ts';
import { makeVantage } from '../support/vantages.ts';

const MINUTE = 60_000;
const ONSET = new Date('2026-11-20T12:00:00Z');
const places = ['CN-BJ', 'CN-GD', 'CN-SH', 'CN-SC', 'CN-XJ'].map((region) => makeVantage(region, 'telecom'));
const vantages = places.slice(0, 2);

let targetId: string;
incidentScene({ vantages: places, webhook: false, also: ['marker'], begin: (id) => (targetId = id) });

/** Results of both vantages, one a minute, for 20 minutes to either side of the onset; `change` is made from then on, or `late` minutes later. */
async function measure(change: (result: StorableResult) => void, at = vantages, late = 0): Promise<void> {
  await insertMinutes({
    targetId,
    vantages,
    from: ONSET.getTime() - 20 * MINUTE,
    count: 40,
    change: (result, vantage, index) => {
      if (index >= 20 + late && at.includes(vantage)) change(result);
    },
  });
}

/** The incident after the detector has found a regression, or a spike, at the first vantage; its id. */
async function regression(kind: 'spike' | 'regression' = 'regression'): Promise<string> {
  const [vantage] = vantages;
  if (!vantage) throw new Error('there is a vantage');
  const at = new Date(ONSET.getTime() + 25 * MINUTE);
  await record([makeDetection({ targetId, vantage, at, changeAt: ONSET, kind, cause: 'tls' })], [], at);
  const { id } = await getPrisma().incident.findFirstOrThrow();
  return id;
}

const candidatesOf = async (id: string) => (await getIncident(id)).candidates;

const retry: StorableResult['findings'][number] = {
  code: 'hello_retry',
  severity: 'warning',
  savesRoundTrips: 1,
  savesMs: 28,
  evidence: 'a HelloRetryRequest',
};

describe('a finding that appeared with the onset', () => {
  it('is named with what it costs and since when, on the incident and in messages', async () => {
    await measure((result) => result.findings.push(retry));
    const incident = await getIncident(await regression());
    const finding = incident.candidates.find(({ kind }) => kind === 'finding');
    expect(finding).toEqual({
      kind: 'finding',
      targetId,
      code: 'hello_retry',
      since: ONSET.toISOString(),
      beforeShare: 0,
      afterShare: 1,
      savesRoundTrips: 1,
      savesMs: 28,
    });
    const payload = { type: 'tls.regression.opened' as const, timestamp: ONSET.toISOString(), data: { ...incident } };
    expect(textOf(payload, 'en').lines).toContain(
      'New finding since 2026-11-20 12:00 UTC: HelloRetryRequest: 1 round trip, 28.0 ms',
    );
  });

  it('is not named where results had it before, or where other vantages alone have it', async () => {
    await insertMinutes({
      targetId,
      vantages,
      from: ONSET.getTime() - 20 * MINUTE,
      count: 40,
      change: (result) => result.findings.push(retry),
    });
    expect((await candidatesOf(await regression())).filter(({ kind }) => kind === 'finding')).toEqual([]);
    await getPool().query('truncate incident, incident_event, detection, marker cascade');
    targetId = await insertTarget();
    await measure((result) => result.findings.push(retry), vantages.slice(1));
    expect((await candidatesOf(await regression())).filter(({ kind }) => kind === 'finding')).toEqual([]);
  });
});

describe('three results on either side', () => {
  const RETRIED = ['posture group', 'finding hello_retry'];
  it.each([
    ['are needed: two before the onset name nothing', { before: 2, after: 20 }, []],
    ['are needed: two since the onset name nothing', { before: 20, after: 2 }, []],
    ['are enough', { before: 3, after: 3 }, RETRIED],
  ])('%s', async (_what, { before, after }, named) => {
    await insertMinutes({
      ...{ targetId, vantages: vantages.slice(0, 1), from: ONSET.getTime() - before * MINUTE, count: before + after },
      change: (result, _vantage, index) => {
        if (index < before) return;
        result.findings.push(retry);
        Object.assign(result.tls ?? {}, { group: 'P-384' });
      },
    });
    const candidates = await candidatesOf(await regression());
    expect(
      candidates.map(
        (each) => `${each.kind} ${each.kind === 'posture' ? each.field : each.kind === 'finding' && each.code}`,
      ),
    ).toEqual(named);
  });
});

describe('results that show the absence of what changed', () => {
  it('count where they have no evidence at all', async () => {
    let count = 0;
    await measure((result) => {
      count += 1;
      if (count % 3 === 0) result.findings.push(retry);
    });
    await getPool().query("delete from result_evidence where started_at >= $1 and not evidence ? 'findings'", [ONSET]);
    expect(await candidatesOf(await regression())).toEqual([]);
  });

  it('count where no protocol was agreed on', async () => {
    let count = 0;
    await measure((result) => {
      count += 1;
      Object.assign(result.tls ?? {}, { alpn: count % 3 === 0 ? 'http/1.1' : null });
    });
    expect(await candidatesOf(await regression())).toMatchObject([
      { field: 'alpn', before: 'h2', after: 'none', beforeShare: 0, afterShare: expect.closeTo(2 / 3, 1) },
    ]);
  });
});

describe('a change of the handshake at the onset', () => {
  type Tls = NonNullable<StorableResult['tls']>;
  const tlsOf = ({ tls }: StorableResult): Tls => {
    if (!tls) throw new Error('the made result has TLS');
    return tls;
  };
  const certificateOf = (result: StorableResult) => {
    const { certificate } = tlsOf(result);
    if (!certificate) throw new Error('the made result has a certificate');
    return certificate;
  };
  const sha256 = 'ab'.repeat(32);
  const cases: [
    field: string,
    change: (result: StorableResult) => void,
    before: string,
    after: string,
    with_: string[],
  ][] = [
    [
      'issuer',
      (result) => Object.assign(certificateOf(result), { issuer: 'CN=R3', sha256 }),
      "C=US, O=Let's Encrypt, CN=E7",
      'CN=R3',
      ['certificate'],
    ],
    ['chainBytes', (result) => Object.assign(certificateOf(result), { chainBytes: 5_410 }), '2410', '5410', []],
    ['version', (result) => Object.assign(tlsOf(result), { version: 'TLSv1.2' }), 'TLSv1.3', 'TLSv1.2', []],
    ['alpn', (result) => Object.assign(tlsOf(result), { alpn: 'http/1.1' }), 'h2', 'http/1.1', []],
    ['group', (result) => Object.assign(tlsOf(result), { group: 'P-384' }), 'X25519MLKEM768', 'P-384', []],
    ['staple', (result) => Object.assign(tlsOf(result).staple, { status: 'missing' }), 'not_applicable', 'missing', []],
    [
      'peerAddress',
      (result) => Object.assign(result.network, { peerAddress: '203.0.113.9' }),
      '203.0.113.7',
      '203.0.113.9',
      [],
    ],
    ['resumed', (result) => Object.assign(tlsOf(result), { resumed: true }), 'false', 'true', []],
    ['roundTrips', (result) => Object.assign(tlsOf(result).handshake, { roundTrips: 2 }), '1', '2', []],
    [
      'cipher',
      (result) => Object.assign(tlsOf(result), { cipher: 'TLS_AES_128' }),
      'TLS_AES_256_GCM_SHA384',
      'TLS_AES_128',
      [],
    ],
    [
      'keyType',
      (result) => Object.assign(certificateOf(result), { keyType: 'rsa', keyBits: 2_048, sha256: 'cd'.repeat(32) }),
      'ec 256',
      'rsa 2048',
      ['certificate'],
    ],
  ];
  it('is a candidate: the first body record, the window and the tickets of engine 3', async () => {
    await insertMinutes({
      targetId,
      vantages,
      from: ONSET.getTime() - 20 * MINUTE,
      count: 40,
      change: (result, _vantage, index) => {
        const [bytes, segments, tickets] = index < 20 ? [4_118, 10, 2] : [16_406, 4, 0];
        // How long a ticket lasts is nothing to tell.
        const session = { tickets, lifetimeSeconds: 7_200 + (index % 3), earlyDataBytes: 0 };
        Object.assign(result, { engineVersion: 3 });
        Object.assign(tlsOf(result), { session });
        Object.assign(result.http ?? {}, { firstBodyRecordBytes: bytes });
        Object.assign(result.roundTrips ?? {}, { serverWindow: { segments, bytes: segments * 1_448, exact: true } });
      },
    });
    const found = (await candidatesOf(await regression())).flatMap((each) =>
      each.kind === 'posture' ? [[each.field, each.before, each.after]] : [],
    );
    expect(found).toEqual([
      ['recordBytes', '4118', '16406'],
      ['serverWindow', '10', '4'],
      ['tickets', 'tickets', 'session id'],
    ]);
  });

  it.each(cases)('is a candidate: %s', async (field, change, before, after, others) => {
    await measure(change);
    const candidates = await candidatesOf(await regression());
    expect(candidates.map((each) => (each.kind === 'posture' ? each.field : each.kind)).sort()).toEqual(
      [field, ...others].sort(),
    );
    expect(candidates).toContainEqual({
      kind: 'posture',
      targetId,
      field,
      before,
      after,
      beforeShare: 0,
      afterShare: 1,
    });
  });

  it('is none where it is at another vantage, or was so before, or few have it', async () => {
    await measure((result) => Object.assign(tlsOf(result), { group: 'P-384' }), vantages.slice(1));
    expect(await candidatesOf(await regression())).toEqual([]);
  });

  it.each([2, 4, 6])('is none where it came %i minutes after the onset, more than a probe period', async (late) => {
    await measure((result) => Object.assign(tlsOf(result), { group: 'P-384' }), vantages, late);
    expect(await candidatesOf(await regression())).toEqual([]);
  });

  it('is one where it was seen a probe period after the onset', async () => {
    await measure((result) => Object.assign(tlsOf(result), { group: 'P-384' }), vantages, 1);
    expect(await candidatesOf(await regression())).toMatchObject([{ kind: 'posture', field: 'group' }]);
  });

  it('is none where fewer than half have it', async () => {
    let count = 0;
    await measure((result) => {
      count += 1;
      if (count % 3 === 0) Object.assign(tlsOf(result), { group: 'P-384' });
    });
    expect(await candidatesOf(await regression())).toEqual([]);
  });
});

describe('a marker', () => {
  const marker = { text: '', url: null };
  const minutes = (count: number) => new Date(ONSET.getTime() + count * MINUTE).toISOString();

  it('of the hour before or after is listed, of its target or of all, the likeliest first, after what the handshakes show', async () => {
    await measure((result) => Object.assign(result.network, { peerAddress: '203.0.113.9' }));
    const other = await insertTarget({ name: 'other' });
    await createMarker({ ...marker, targetId: null, at: minutes(-40), title: 'config' }, 'ci');
    await createMarker({ ...marker, targetId: null, at: minutes(1), title: 'everywhere' }, 'ci');
    await createMarker({ ...marker, targetId, at: minutes(2), title: 'deploy' }, 'ci');
    await createMarker({ ...marker, targetId: other, at: minutes(1), title: 'another’s' }, 'ci');
    await createMarker({ ...marker, targetId, at: minutes(30), title: 'rolled back' }, 'ci');
    await createMarker({ ...marker, targetId, at: minutes(63), title: 'too late' }, 'ci');
    await createMarker({ ...marker, targetId, at: minutes(-61), title: 'too early' }, 'ci');
    const incident = await getIncident(await regression());
    expect(incident.candidates).toMatchObject([
      { kind: 'posture', field: 'peerAddress' },
      { kind: 'marker', title: 'deploy', offsetSeconds: 120, later: false },
      { kind: 'marker', title: 'everywhere', offsetSeconds: 60, later: false },
      { kind: 'marker', title: 'config', offsetSeconds: -2_400, later: false },
      { kind: 'marker', title: 'rolled back', offsetSeconds: 1_800, later: true },
    ]);
    // Said where there is none: the range that was looked at, which goes on after the onset for as long as that is uncertain.
    expect([incident.markersFrom, incident.markersTo]).toEqual([minutes(-60), minutes(62)]);
  });

  it.each([
    ['spike' as const, 60, 90],
    ['regression' as const, 60, 180],
    ['spike' as const, 600, 630],
  ])(
    'may have caused a %s with a probe period of %i s and what it is uncertain by after its onset: %i s',
    async (kind, period, most) => {
      await getPool().query('update target set period_seconds = $2 where id = $1', [targetId, period]);
      const id = await regression(kind);
      const at = (seconds: number) => new Date(ONSET.getTime() + seconds * 1_000).toISOString();
      await createMarker({ ...marker, targetId, at: at(most + 1), title: 'too late' }, 'ci');
      await createMarker({ ...marker, targetId, at: at(most), title: 'deploy' }, 'ci');
      expect(await candidatesOf(id)).toMatchObject([
        { title: 'deploy', offsetSeconds: most, later: false },
        { title: 'too late', later: true },
      ]);
    },
  );

  it('is listed beside an onset that one series dated too early by chance, and everything shows the same onset', async () => {
    // It began at 15; the first onset is a chance value 13 minutes before.
    const cells = [2, 12, 13, 15, 16].map((minute, index) => ({ minute, vantage: places[index] as VantageRef }));
    const found = new Date(ONSET.getTime() + 25 * MINUTE);
    await record(
      cells.map(({ minute, vantage }) =>
        makeDetection({ targetId, vantage, at: found, changeAt: new Date(minutes(minute)), cause: 'tls' }),
      ),
      [],
      found,
    );
    await createMarker({ ...marker, targetId, at: minutes(15), title: 'deploy' }, 'ci');
    const { id } = await getPrisma().incident.findFirstOrThrow();
    const incident = await getIncident(id);
    expect(incident.onsetAt).toBe(minutes(13));
    expect(incident.candidates).toMatchObject([{ title: 'deploy', offsetSeconds: 120, later: false }]);
    const { before, after } = await createComparison({ incidentId: id, milestone: 'total' }, 'tester');
    expect([before.to, after.from]).toEqual([incident.onsetAt, incident.onsetAt]);
  });

  it('that is written after the incident was opened is named as well, once', async () => {
    const id = await regression();
    expect(await candidatesOf(id)).toEqual([]);
    const { id: markerId } = await createMarker({ ...marker, targetId, at: minutes(-3), title: 'deploy 43' }, 'ci');
    await createMarker({ ...marker, targetId, at: minutes(-90), title: 'too early' }, 'ci');
    await createMarker({ ...marker, targetId, at: minutes(63), title: 'too late' }, 'ci');
    expect(await candidatesOf(id)).toMatchObject([{ kind: 'marker', markerId, offsetSeconds: -180 }]);
  });
});
