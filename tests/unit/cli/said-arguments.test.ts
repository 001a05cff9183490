import { describe, expect, it } from 'vitest';
import { withoutSecrets } from '#cli/said-arguments.ts';

/** What is said of these arguments by a message that repeats them all. */
const said = (...args: string[]) => withoutSecrets(`error: '${args.join(' ')}' is wrong`, args);

describe('what a message says of the command line', () => {
  it.each([
    ['https://user:secret@host/', 'https://***@host/'],
    ['user:secret@host/', '***@host/'],
    ['https://user@host/path', 'https://***@host/path'],
    ['https://user:sec/ret@host/', 'https://***@host/'],
    ['https://user:sec ret@host/', 'https://***@host/'],
    ['postgresql://roundtrip:secret@db/x', 'postgresql://***@db/x'],
    ['https://host/@someone', 'https://host/@someone'],
    ['https://host/plain', 'https://host/plain'],
  ])('%s is shown as %s', (arg, shown) => {
    expect(said('probe', arg)).toBe(`error: 'probe ${shown}' is wrong`);
  });

  it.each([
    [['-H', 'Authorization: secret']],
    [['-HAuthorization: secret']],
    [['--header=Authorization: secret']],
    [['--header', 'Authorization: secret']],
    [['--data', 'secret']],
    [['--token', 'secret']],
  ])('%j keeps its value to itself', (args) => {
    const text = said(...args);
    expect(text).toContain('***');
    expect(text).not.toContain('secret');
  });

  it('hides the password of a URL that is an option’s value, however it is given', () => {
    for (const args of [['--server', 'ftp://user:secret@host'], ['--server=ftp://user:secret@host']]) {
      expect(withoutSecrets('--server is "ftp://user:secret@host"', args)).toBe('--server is "ftp://***@host"');
    }
  });

  it('shows control characters, and those that turn the direction of writing, and leaves lines as they are', () => {
    const text = withoutSecrets('a\u001b]0;x\u0007\u009bb\u202ec\u2066d\u{e0001}e\nnext\ttab', []);
    expect(text).toBe('a\\u001b]0;x\\u0007\\u009bb\\u202ec\\u2066d\\u{e0001}e\nnext\\u0009tab');
  });

  it('hides what a message quotes as JSON', () => {
    const arg = 'https://us"er:secret@host/';
    expect(withoutSecrets(`The target ${JSON.stringify(arg)} is none.`, [arg])).toBe(
      'The target "https://***@host/" is none.',
    );
  });
});
