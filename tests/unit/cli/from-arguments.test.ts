import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { fromPlaces } from '#cli/probe/from-arguments.ts';
import { probeCommand } from '#cli/probe.ts';
import { MAX_MEASUREMENT_LOCATIONS, MAX_MEASUREMENT_VANTAGES } from '#contract/measurement.ts';

const [gd, bj] = [{ region: 'CN-GD' }, { region: 'CN-BJ' }];
const [unicom, telecom] = [{ carrier: 'unicom' }, { carrier: 'telecom' }];

describe('places', () => {
  it.each([
    ['all', [{ limit: MAX_MEASUREMENT_VANTAGES }]],
    ['CN-GD,unicom', [{ ...gd, ...unicom }]],
    ['CN-GD, CN-BJ', [gd, bj]],
    ['unicom,telecom', [unicom, telecom]],
    [
      'CN-GD,unicom,CN-BJ,telecom',
      [
        { ...gd, ...unicom },
        { ...gd, ...telecom },
        { ...bj, ...unicom },
        { ...bj, ...telecom },
      ],
    ],
    ['HK', [{ country: 'HK' }]],
  ])('%s', (text, places) => {
    expect(fromPlaces(text)).toEqual(places);
    expect(fromPlaces(text, [telecom])).toEqual([telecom, ...places]);
  });

  it.each(['', 'Unicom', 'CN-GD,', 'all,unicom', 'CN-gd', '广东'])('%j is refused', (text) => {
    expect(() => fromPlaces(text)).toThrow(/' is no place: give all, or regions/);
  });

  it(`are at most ${MAX_MEASUREMENT_LOCATIONS}`, () => {
    const names = Array.from({ length: MAX_MEASUREMENT_LOCATIONS }, (_, index) => `c${index}`);
    expect(fromPlaces(names.join())).toHaveLength(MAX_MEASUREMENT_LOCATIONS);
    expect(() => fromPlaces('c', fromPlaces(names.join()))).toThrow(`more than ${MAX_MEASUREMENT_LOCATIONS} places`);
  });
});

/** The message with which the command ends. */
async function refusal(...args: string[]): Promise<string> {
  let said = '';
  const program = new Command()
    .exitOverride()
    .configureOutput({ writeErr: () => {}, outputError: (text) => (said = text) });
  probeCommand(program);
  for (const command of program.commands) command.exitOverride().copyInheritedSettings(program);
  await expect(program.parseAsync(['node', 'roundtrip', 'probe', 'a.example', ...args])).rejects.toThrow();
  return said;
}

describe('--from', () => {
  it.each([
    ['--count', '2'],
    ['--count', '1'],
    ['--rate', '1'],
    ['--concurrency', '1'],
    ['--threads', '1'],
    ['--timeout', '1000'],
    ['--compare', 'b.example'],
    ['--explain'],
    ['--what-if', 'tls=1.3'],
    ['--resume'],
    ['--reuse'],
    ['--method', 'HEAD'],
    ['--header', 'A: b'],
    ['--data', 'x'],
    ['--redirects', '1'],
  ])('%s is refused', async (...option) => {
    expect(await refusal('--from', 'all', ...option)).toBe(
      `error: option '${option[0]}' cannot be combined with '--from'.\n`,
    );
  });

  it.each([
    [['--sigalgs', 'both'], "option '--sigalgs' is RSA or ECDSA with '--from'."],
    [['b.example'], "option '--from' takes one URL."],
    [['--resolve', 'a.example:443:192.0.2.1,192.0.2.2'], "option '--resolve' takes one address with '--from'."],
    [['--no-http', '--expect-status', '200'], "option '--expect-status' has no effect with '--no-http'."],
  ])('with %j is refused', async (args, message) => {
    expect(await refusal('--from', 'all', ...args)).toBe(`error: ${message}\n`);
  });

  it.each([['--server', 'https://s.example'], ['--insecure-server']])(
    '%s is of no use without it',
    async (...option) => {
      expect(await refusal(...option)).toBe(`error: option '${option[0]}' has no effect without '--from'.\n`);
    },
  );
});
