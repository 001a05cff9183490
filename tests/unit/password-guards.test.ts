import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ACQUAINTANCES, STRANGERS } from '#server/access/admin.ts';
import { browserCookie, knownBrowser } from '#server/access/known-browser.ts';

describe('hashing passwords', () => {
  it('is done for two strangers at a time, 20 more wait and any further is told to come back', async () => {
    let running = 0;
    let most = 0;
    const finish: (() => void)[] = [];
    const work = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => finish.push(resolve));
      running -= 1;
    };
    const passed = Array.from({ length: 22 }, () => STRANGERS.pass(work));
    await expect(STRANGERS.pass(work)).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 1 });
    // Those who are known do not stand in that line.
    await expect(ACQUAINTANCES.pass(async () => 'done')).resolves.toBe('done');
    for (let done = 0; done < passed.length; done++) {
      await expect.poll(() => finish.length).toBeGreaterThan(0);
      finish.shift()?.();
    }
    await Promise.all(passed);
    expect([most, running]).toEqual([2, 0]);
  });

  it('is fair: a crowd of one site costs another a turn at most, and gives way where no more may wait', async () => {
    const order: string[] = [];
    const finish: (() => void)[] = [];
    const work = (name: string) => async () => {
      order.push(name);
      await new Promise<void>((resolve) => finish.push(resolve));
    };
    const crowd = Array.from({ length: 22 }, (_, n) => STRANGERS.pass(work(`crowd ${n}`), '2001:db8:7::/48'));
    const last = expect(crowd[21]).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 1 });
    const admin = STRANGERS.pass(work('admin'), '203.0.113.0/24');
    await last;
    await expect(STRANGERS.pass(work('crowd'), '2001:db8:7::/48')).rejects.toMatchObject({ code: 'rate_limited' });
    for (let done = 0; done < 22; done++) {
      await expect.poll(() => finish.length).toBeGreaterThan(0);
      finish.shift()?.();
    }
    await Promise.all([admin, ...crowd.slice(0, 21)]);
    expect(order.indexOf('admin')).toBe(3);
    expect(order).toHaveLength(22);
  });

  it('that fails leaves its place to the next', async () => {
    const fails = async () => {
      throw new Error('out of memory');
    };
    for (let n = 0; n < 5; n++) await expect(STRANGERS.pass(fails)).rejects.toThrow('out of memory');
    await expect(STRANGERS.pass(async () => 'done')).resolves.toBe('done');
  });
});

describe('a browser that signed in before', () => {
  beforeEach(() => vi.useFakeTimers({ now: Date.parse('2026-03-04T10:00:00Z') }));
  afterEach(() => vi.useRealTimers());

  it('is known by its id for a year, which every sign-in begins anew', () => {
    const first = browserCookie(null);
    const id = knownBrowser(first.value);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    vi.setSystemTime(Date.parse('2027-03-04T09:59:00Z'));
    const second = browserCookie(knownBrowser(first.value));
    vi.setSystemTime(Date.parse('2027-03-04T10:00:00Z'));
    expect([knownBrowser(first.value), knownBrowser(second.value)]).toEqual([null, id]);
  });

  it('cannot be made up', () => {
    const [id, at, signature] = browserCookie(null).value.split('.');
    const made = [
      undefined,
      '',
      '..',
      `${id}.${at}.`,
      `${id}.${Number(at) + 1}.${signature}`,
      `x${id}.${at}.${signature}`,
    ];
    for (const cookie of made) expect(knownBrowser(cookie)).toBeNull();
    expect(knownBrowser(`${id}.${at}.${signature}`)).toBe(id);
  });
});
