import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import { failIfArgument, MAX_CONDITIONS, MetConditions, metBy } from '#cli/probe/conditions.ts';
import { Result } from '#contract/result.ts';
import { makeResult } from '../../support/results.ts';
import { TEST_VANTAGE } from '../../support/tls-target.ts';
import { words } from '../../support/words.ts';

const startedAt = '2026-11-21T08:00:00Z';
const DAY_MS = 86_400_000;
const at = (days: number) => new Date(Date.parse(startedAt) + days * DAY_MS).toISOString();

function made(more: Partial<Result> = {}): Result {
  const where = { targetId: TEST_VANTAGE.id, vantage: TEST_VANTAGE };
  return Result.parse({ ...makeResult({ ...where, startedAt: Date.parse(startedAt), tls: 200 }), ...more });
}

/** With a certificate that ends so many days later, and an intermediate that ends before it. */
function ending(days: number, intermediateDays = days): Result {
  const result = made();
  const certificate = result.tls?.certificate;
  if (!certificate) throw new Error('the made Result has no certificate');
  const { subject, issuer, notBefore, sha256, keyType, keyBits } = certificate;
  const one = { subject, issuer, notBefore, sha256, keyType, keyBits, bytes: 900 };
  const certificates = [
    { ...one, notAfter: at(days) },
    { ...one, notAfter: at(intermediateDays), ...(intermediateDays < days ? { endsFirst: true as const } : {}) },
  ];
  Object.assign(certificate, { notAfter: at(days), sent: { certificates, messageBytes: 2_000, problems: [] } });
  return Result.parse(result);
}

const found = (text: string, result = ending(13)) => metBy(result, failIfArgument(text)).map(({ value }) => value);

describe('--fail-if', () => {
  it.each([
    ['tls>199.9', true],
    ['tls>200', false],
    ['tls>=200', true],
    ['tls<200', false],
    ['tls<=200', true],
    ['tls=200', true],
    ['tls!=200', false],
    ['tls!=201', true],
    ['tls>0.1s', true],
    ['tls>0.2s', false],
    ['TLS > 199 MS', true],
    ['expiry<14d', true],
    ['expiry<13d', false],
    ['expiry<=312h', true],
    ['expiry<311h', false],
    ['status>=400', false],
    ['status=200', true],
  ])('judges %s', (text, met) => expect(found(text)).toHaveLength(met ? 1 : 0));

  it.each(['dns', 'connect', 'tcp', 'tls', 'firstByte', 'ttfb', 'download', 'total'])('knows %s', (name) => {
    expect(found(`${name}>=0`)).toEqual([expect.stringMatching(/^\d+\.\d+ ms$/)]);
    expect(found(`${name}>60s`)).toEqual([]);
  });

  it('says what it found, and of a certificate that has ended how long ago', () => {
    expect(found('tls>1,expiry<14d,status<300')).toEqual(['200.0 ms', '13.00 d', '200']);
    expect(found('expiry<1h', ending(-2))).toEqual(['-2.00 d']);
  });

  it('goes by the certificate of the path that ends first', () => {
    expect(found('expiry<14d', ending(60))).toEqual([]);
    expect(found('expiry<14d', ending(60, 3))).toEqual(['3.00 d']);
  });

  it.each(['tls>1', 'tls<1', 'expiry<1d', 'status=200'])('does not let an unknown value pass: %s', (text) => {
    const refused = made({ tls: null, http: null, phases: { ...made().phases, tls: null } });
    expect(found(text, refused)).toEqual(['unknown']);
  });

  it('judges main probes alone', () => {
    expect(found('tls>1', made({ variant: 'resumed' }))).toEqual([]);
  });

  it.each([
    '',
    ...words(`
      tls tls> tls>fast tls>-1 tls>1d foo>3 expiry<14 expiry<1s status>=4s tls=>1 tls>1, tls==1 toString>1
      tls>1constructor
    `),
  ])('refuses %j', (text) => {
    const wrong = text === 'tls>1,' ? '' : text;
    expect(() => failIfArgument(text)).toThrow(InvalidArgumentError);
    expect(() => failIfArgument(text)).toThrow(`'${wrong}' is no condition. Known: dns, connect`);
  });

  it('holds so many conditions and no more', () => {
    const most = Array.from({ length: MAX_CONDITIONS }, () => 'tls>1');
    expect(failIfArgument(most.join(','))).toHaveLength(MAX_CONDITIONS);
    expect(() => failIfArgument([...most, 'tls>1'].join(','))).toThrow(`more than ${MAX_CONDITIONS}`);
  });

  it('has a status of its own, but for probes that failed', () => {
    const met = new MetConditions();
    expect([met.exitStatus(0), met.exitStatus(1)]).toEqual([0, 1]);
    met.add(metBy(made(), failIfArgument('tls>1')));
    expect([met.exitStatus(0), met.exitStatus(1)]).toEqual([3, 1]);
  });
});
