import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProbeSettings } from '#contract/target.ts';
import { AssignmentStore } from '#workers/prober/assignments.ts';

const vantage = {
  name: 'here',
  country: 'CN',
  region: 'CN-BJ',
  city: null,
  carrier: 'telecom',
  asn: null,
  access: 'idc',
};
const idOf = (number: number) => `00000000-0000-4000-8000-00000000000${number}`;
const checkOf = (number: number, more: object = {}) => ({
  id: idOf(number),
  targetId: idOf(number),
  url: 'https://a.example/',
  vantage: { id: idOf(9), ...vantage },
  demo: false,
  periodSeconds: 60,
  timeoutMs: 20_000,
  settings: ProbeSettings.parse({}),
  allowPrivate: false,
  ...more,
});
const answerOf = (full: boolean, checks: object[], removed: string[] = []) => ({
  revision: 'r1',
  full,
  checks,
  removed,
  serverTime: '2026-11-21T08:00:00.000Z',
  pollSeconds: 10,
});

let dataDir: string;
let log: string[];
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'assignments-'));
  log = [];
});
afterEach(() => rmSync(dataDir, { recursive: true }));

function openStore(server = 'https://monitor.example'): AssignmentStore {
  const say = (message: string) => void log.push(message);
  return new AssignmentStore({ dataDir, server, logger: { debug: say, info: say, warn: say, error: say } });
}

describe('the assignments', () => {
  it('follow a delta and tell the clock skew', () => {
    const store = openStore();
    store.apply(answerOf(true, [checkOf(1), checkOf(2)]));
    const delta = store.apply(answerOf(false, [checkOf(3)], [idOf(1)]), Date.parse('2026-11-21T08:00:02.500Z'));
    expect(delta).toMatchObject({ removed: [idOf(1)], pollMs: 10_000, skewMs: 2_500 });
    expect([...store.checks.keys()]).toEqual([idOf(2), idOf(3)]);
  });

  it('are replaced whole by a full answer', () => {
    const store = openStore();
    store.apply(answerOf(true, [checkOf(1), checkOf(2)]));
    expect(store.apply(answerOf(true, [checkOf(2)]))?.removed).toEqual([idOf(1)]);
  });

  it('are there again after a restart, and asked for anew from another server', () => {
    openStore().apply(answerOf(true, [checkOf(1)]));
    expect(openStore().revision).toBe('r1');
    const elsewhere = openStore('https://other.example');
    expect([...elsewhere.checks.keys()]).toEqual([idOf(1)]);
    expect(elsewhere.revision).toBeUndefined();
  });

  it('leave out a check that this prober does not understand and keep the others', () => {
    const store = openStore();
    const strange = checkOf(1, { settings: { ...ProbeSettings.parse({}), quic: true } });
    expect(store.apply(answerOf(true, [strange, checkOf(2)]))?.put).toHaveLength(1);
    expect(log.join()).toContain('does not understand');
  });

  it('ignore an answer that is none', () => {
    expect(openStore().apply({ hello: 'there' })).toBeNull();
  });
});
