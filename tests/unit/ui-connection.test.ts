import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

type Answer = () => Promise<Response>;
const page: Answer = async () => new Response('page', { headers: { 'content-type': 'text/x-component' } });
const away: Answer = async () => {
  throw new TypeError('Failed to fetch');
};
const gateway: Answer = async () => new Response('<h1>Bad Gateway</h1>', { status: 502 });

/** What stands where the server would, and what it was asked. */
let health: Answer;
let answers: Answer[];
let asked: string[];
let sent: (HeadersInit | undefined)[];
let connection: typeof import('#components/ui/connection.ts');
let undo: () => void;

const ok: Answer = async () => Response.json({ status: 'ok', version: '1' });
const RSC = { headers: { RSC: '1' } };

beforeEach(async () => {
  vi.useFakeTimers();
  vi.resetModules();
  [health, answers, asked, sent] = [ok, [], [], []];
  vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: false }));
  const browser = new EventTarget();
  vi.stubGlobal('addEventListener', browser.addEventListener.bind(browser));
  vi.stubGlobal('removeEventListener', browser.removeEventListener.bind(browser));
  vi.stubGlobal('dispatchEvent', browser.dispatchEvent.bind(browser));
  vi.stubGlobal('window', globalThis);
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    asked.push(input);
    if (input !== '/api/health') sent.push(init?.headers);
    return await (input === '/api/health' ? health : (answers.shift() ?? page))();
  });
  connection = await import('#components/ui/connection.ts');
  undo = connection.guardPageRequests();
});
afterEach(() => {
  undo();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const healthAsked = () => asked.filter((path) => path === '/api/health').length;

describe("a page's request", () => {
  it('is not delayed by anything where the server answers', async () => {
    expect(await (await fetch('/incidents', RSC)).text()).toBe('page');
    expect(asked).toEqual(['/incidents']);
  });

  it('is asked for again where the database kept it from being made, not where somebody wrote so', async () => {
    // React sends a long text as it is, with quotes that are not escaped.
    const forged = `"id":"roundtrip-page-unavailable" ${connection.UNAVAILABLE_WORD} ${'x'.repeat(1_024)}`;
    const shown: Answer = async () => new Response(`1:T${forged.length.toString(16)},${forged}`);
    answers = [shown];
    expect(await (await fetch('/incidents', RSC)).text()).toContain(forged);
    expect(new Headers(sent[0]).get('rsc')).toBe('1');
    const wordOf = (headers: HeadersInit | undefined) => new Headers(headers).get(connection.UNAVAILABLE_WORD) ?? '';
    const kept: Answer = async () => new Response(`1:["$","$L2",null,{"id":"${wordOf(sent.at(-1))}","title":"x"}]`);
    answers = [kept];
    const answer = fetch('/incidents', RSC);
    await vi.advanceTimersByTimeAsync(100);
    expect(connection.connectionNow().slowAt).not.toBeNull();
    await vi.advanceTimersByTimeAsync(6_000);
    expect(await (await answer).text()).toBe('page');
    expect(wordOf(sent[1]).length).toBeGreaterThan(20);
    expect(wordOf(sent[0])).not.toBe(wordOf(sent[1]));
  });

  it('waits for a server that is away, asking less and less often, and is made again then', async () => {
    [health, answers] = [away, [away]];
    const answer = fetch('/incidents', RSC);
    await vi.advanceTimersByTimeAsync(500);
    expect(connection.connectionNow().lostAt).not.toBeNull();
    await vi.advanceTimersByTimeAsync(60_000);
    // At 0, 1, 3, 7, 15, 30, 45 and 60 s.
    expect(healthAsked()).toBe(8);
    health = ok;
    globalThis.dispatchEvent(new Event('online'));
    expect(await (await answer).text()).toBe('page');
    expect(connection.connectionNow().lostAt).toBeNull();
    expect(asked.filter((path) => path === '/incidents')).toHaveLength(2);
  });

  it("takes a proxy's error page for no answer, and its word on health for none", async () => {
    [health, answers] = [async () => new Response('<h1>maintenance</h1>'), [gateway]];
    const answer = fetch('/incidents', RSC);
    await vi.advanceTimersByTimeAsync(100);
    expect(connection.connectionNow().lostAt).not.toBeNull();
    health = ok;
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await answer).status).toBe(200);
  });

  it('is given up where the server is there and this one request fails each time', async () => {
    answers = [gateway, gateway, gateway];
    expect((await fetch('/incidents', RSC)).status).toBe(502);
    answers = [away, away, away];
    await expect(fetch('/incidents', RSC)).rejects.toThrow('Failed to fetch');
    expect(asked.filter((path) => path === '/incidents')).toHaveLength(6);
  });

  it('of a form is made once, after the server said that it serves', async () => {
    const form = { method: 'POST', headers: { 'next-action': 'a' } };
    health = away;
    const sent = fetch('/targets/new', form);
    await vi.advanceTimersByTimeAsync(500);
    expect(asked).not.toContain('/targets/new');
    health = ok;
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await sent).status).toBe(200);
    answers = [away];
    await expect(fetch('/targets/new', form)).rejects.toThrow('Failed to fetch');
    expect(asked.filter((path) => path === '/targets/new')).toHaveLength(2);
  });

  it('does not make a page ask that nobody looks at', async () => {
    [health, answers] = [away, [away]];
    void fetch('/incidents', RSC);
    await vi.advanceTimersByTimeAsync(500);
    Object.assign(document, { hidden: true });
    await vi.advanceTimersByTimeAsync(600_000);
    expect(healthAsked()).toBe(1);
    Object.assign(document, { hidden: false });
    health = ok;
    document.dispatchEvent(new Event('visibilitychange'));
    await vi.advanceTimersByTimeAsync(0);
    expect(connection.connectionNow().lostAt).toBeNull();
  });
});
