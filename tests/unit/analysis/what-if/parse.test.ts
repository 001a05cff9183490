import { describe, expect, it } from 'vitest';
import { ALLOWED_CHANGES, parseChanges } from '#analysis/what-if/what-if.ts';

describe('changes as they are typed', () => {
  it('reads each, and several', () => {
    expect(parseChanges('tls=1.3,chain=1k')).toEqual([{ kind: 'tls13' }, { kind: 'chain', bytes: 1_024 }]);
    expect(parseChanges(' Chain=2500 , RECORDS=4k')).toEqual([
      { kind: 'chain', bytes: 2_500 },
      { kind: 'records', bytes: 4_096 },
    ]);
    expect(parseChanges('body=0.25,window=32,rtt=12.5')).toEqual([
      { kind: 'compressBody', ratio: 0.25 },
      { kind: 'window', segments: 32 },
      { kind: 'edge', rttMs: 12.5 },
    ]);
    const words = 'key=ecdsa,certificates=compressed,staple=off,nagle=off,resume=on,http=2,redirect=off';
    expect(parseChanges(words).map(({ kind }) => kind)).toEqual([
      'ecdsa',
      'compressCertificate',
      'noStaple',
      'noDelay',
      'resume',
      'http2',
      'noRedirect',
    ]);
  });

  it('takes all that it lists as possible', () => {
    expect(parseChanges(ALLOWED_CHANGES)).toHaveLength(13);
  });

  it.each([
    ['tls=1.1', /^tls takes 1\.3, such as tls=1\.3; got 'tls=1\.1'\.$/],
    ['chain', /^chain takes the bytes of all certificates, .* got 'chain'\.$/],
    ['chain=0', /^chain takes/],
    ['chain=1000001', /^chain takes/],
    ['chain=1=2', /^chain takes/],
    ['records=17k', /^records takes bytes from 64 to 16k/],
    ['records=63', /^records takes/],
    ['window=1001', /whole number of segments from 1 to 1000/],
    ['window=2.5', /whole number/],
    ['body=1.1', /at most 1/],
    ['rtt=10001', /at most 10000/],
    ['rtt=-1', /^rtt takes/],
    ['tls=1.3,tls=1.3', /^tls is given twice\.$/],
    ['http3=on', /^'http3=on' is no change that can be predicted\. Possible: tls=1\.3, chain=1k, /],
    ['constructor=1', /no change that can be predicted/],
    ['', /^'' is no change/],
    ['tls=1.3,', /^'' is no change/],
  ])('refuses %s with a sentence that says what is wrong', (text, sentence) => {
    expect(() => parseChanges(text)).toThrow(sentence);
  });

  it('quotes no more than a line of what it refuses', () => {
    expect(() => parseChanges('x'.repeat(10_000))).toThrow(/^.{1,300}$/);
  });
});
