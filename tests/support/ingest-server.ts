import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import type { Assignments, Check } from '#contract/check.ts';
import {
  EnrolRequest,
  type EnrolResponse,
  IngestBatch,
  type IngestReport,
  ProberReport,
  SHARED_PLACES,
} from '#contract/ingest.ts';
import { MeasurementAnswers, type MeasurementReport, type MeasurementTask } from '#contract/measurement.ts';
import { Result, type VantageRef } from '#contract/result.ts';

/** A status from 400 on is told as the server does it: as a problem of our own type. */
type Answer = { status: number; headers?: Record<string, string>; body?: unknown };

type Fields = Record<string, unknown>;

/** A result with the parts that it shares with others of its batch, by the contract alone. */
export function joined(result: unknown, shared: readonly unknown[]): unknown {
  const fields = result as Fields;
  for (const [first, second] of SHARED_PLACES) {
    const holder = second === undefined ? fields : (fields[first] as Fields | null);
    const key = second ?? first;
    if (holder && typeof holder[key] === 'number') holder[key] = shared[holder[key]];
  }
  return fields;
}

/** The server's side of the prober's contract over real HTTP, without a database; bodies are held to the schemas. */
export class IngestServer {
  readonly token = 'rte_a-token-for-tests';
  readonly credential = 'rtp_a-credential-for-tests';
  /** Every result once, by id. */
  readonly results = new Map<string, Result>();
  /**
   * The ids of each batch that was stored or answered, in order, when it came (ms of performance.now()), and how many parts
   * its results share; null where each holds its own.
   */
  readonly batches: { ids: string[]; at: number; parts: number | null }[] = [];
  /** What the prober said of itself, of batches that were stored. */
  readonly reports: ProberReport[] = [];
  readonly polls: (string | null)[] = [];
  /** Requests that do not hold to the contract. */
  readonly faults: string[] = [];
  duplicates = 0;
  enrolments = 0;
  /** Answers to instant probes. */
  answered = 0;
  revoked = false;
  /** Answers a batch in place of storing it; null lets it through. */
  refuse: (results: unknown[], report?: ProberReport) => Answer | null = () => null;
  /** Names results (by index) that are never accepted. */
  reject: (result: Result) => boolean = () => false;
  /** The same, for their time alone: they may come again. */
  rejectTime: (result: Result) => boolean = () => false;
  /** Answers no poll for assignments. */
  failsPolls = false;
  /** How far (ms) this server's clock is ahead of the machine's. */
  clockAheadMs = 0;
  /** How long (ms) it asks probers to wait before their next batch; it says nothing of that where left out. */
  nextBatchMs: number | undefined;
  /** Up to when the prober says that it has delivered, in order; and Results that came in a later batch and are older than that. */
  readonly words: number[] = [];
  readonly broken: string[] = [];
  /** Stores the batch, then breaks the connection instead of answering. */
  losesAnswers = false;
  #vantage: VantageRef;
  #credentialHash: string | undefined;
  #checks = new Map<string, Check>();
  #changes: { put?: Check; removed?: string }[] = [];
  #tasks: MeasurementTask[] = [];
  #asking: ServerResponse | null = null;
  #events = new EventEmitter();
  #server: Server | undefined;
  #port = 0;

  constructor(vantage: VantageRef) {
    this.#vantage = vantage;
    this.#events.setMaxListeners(100);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Listens, on the port of the time before. */
  async open(): Promise<void> {
    const server = createServer((request, response) => {
      this.#answer(request, response).catch((error) => {
        this.faults.push(String(error));
        response.writeHead(500).end(JSON.stringify({ detail: String(error) }));
      });
    });
    this.#server = server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Goes away as a crash does: open connections are cut. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  put(check: Check): void {
    this.#checks.set(check.id, check);
    this.#changes.push({ put: check });
  }

  remove(id: string): void {
    this.#checks.delete(id);
    this.#changes.push({ removed: id });
  }

  /** Resolves as soon as this holds; asked after every request. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await once(this.#events, 'request');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    const body = request.method === 'POST' ? JSON.parse(await text(request.pipe(createGunzip()))) : null;
    const known = !this.revoked && this.#knows(request.headers.authorization?.replace('Bearer ', '') ?? '');
    if (url.pathname === '/api/ingest/enrol') send(response, this.#enrol(body));
    else if (!known) send(response, { status: 401, body: { detail: 'The credential was revoked.' } });
    else if (url.pathname === '/api/ingest/assignments' && this.failsPolls) send(response, { status: 500 });
    else if (url.pathname === '/api/ingest/assignments')
      send(response, this.#assignments(url.searchParams.get('since')));
    else if (url.pathname === '/api/ingest/measurements' && body) send(response, this.#take(body));
    else if (url.pathname === '/api/ingest/measurements') this.#asked(response);
    else if (url.pathname === '/api/ingest/results') this.#ingest(body, response);
    else send(response, { status: 404 });
    this.#events.emit('request');
  }

  /** Hands instant probes to the prober: at once where it asks already. */
  hand(tasks: readonly MeasurementTask[]): void {
    this.#tasks.push(...tasks);
    if (this.#asking) this.#asked(this.#asking);
  }

  /** A request for tasks is held until there are some. */
  #asked(response: ServerResponse): void {
    this.#asking = this.#tasks.length === 0 ? response : null;
    if (this.#asking === null) send(response, { status: 200, body: { data: this.#tasks.splice(0), cancelled: [] } });
  }

  #take(body: unknown): Answer {
    const { results } = MeasurementAnswers.parse(body);
    this.answered += results.length;
    return { status: 200, body: { accepted: results.length, duplicates: 0, rejected: [] } satisfies MeasurementReport };
  }

  #enrol(body: unknown): Answer {
    const { token, credentialHash } = EnrolRequest.parse(body);
    const again = credentialHash !== undefined && credentialHash === this.#credentialHash;
    if (token !== this.token || (this.enrolments > 0 && !again)) {
      return { status: 401, body: { detail: 'token is unknown, used or expired' } };
    }
    if (!again) this.enrolments += 1;
    this.#credentialHash = credentialHash;
    const answer: EnrolResponse = {
      proberId: this.#vantage.id,
      vantages: [this.#vantage],
    };
    return { status: 200, body: answer };
  }

  #knows(secret: string): boolean {
    return secret === this.credential || createHash('sha256').update(secret).digest('hex') === this.#credentialHash;
  }

  get #time(): string {
    return new Date(Date.now() + this.clockAheadMs).toISOString();
  }

  #assignments(since: string | null): Answer {
    this.polls.push(since);
    const changes = this.#changes.slice(Number(since ?? 0));
    const answer: Assignments = {
      revision: String(this.#changes.length),
      full: since === null,
      checks: since === null ? [...this.#checks.values()] : changes.flatMap(({ put }) => put ?? []),
      removed: since === null ? [] : changes.flatMap(({ removed }) => removed ?? []),
      serverTime: this.#time,
      pollSeconds: 1,
    };
    return { status: 200, body: answer };
  }

  #ingest(body: unknown, response: ServerResponse): void {
    const { results, shared, report: sent, until } = IngestBatch.parse(body);
    const report = ProberReport.optional().parse(sent);
    const parsed = results.map((result) => Result.parse(shared ? joined(result, shared) : result));
    this.batches.push({ ids: parsed.map(({ id }) => id), at: performance.now(), parts: shared?.length ?? null });
    const refusal = this.refuse(results, report);
    if (!refusal && report) this.reports.push(report);
    const answer = refusal ?? { status: 200, body: this.#store(parsed) };
    if (until && !refusal) this.words.push(Date.parse(until));
    if (this.losesAnswers) response.destroy();
    else send(response, answer);
  }

  #store(results: Result[]): IngestReport {
    const report: IngestReport = { accepted: 0, duplicates: 0, rejected: [], serverTime: this.#time };
    if (this.nextBatchMs !== undefined) report.nextBatchMs = this.nextBatchMs;
    for (const [index, result] of results.entries()) {
      if (this.reject(result)) {
        report.rejected.push({ index, id: result.id, field: 'startedAt', message: 'is too old' });
      } else if (this.rejectTime(result)) {
        report.rejected.push({ index, id: result.id, field: 'startedAt', message: 'is too old', retry: true });
      } else if (this.results.has(result.id)) {
        report.duplicates += 1;
      } else {
        this.results.set(result.id, result);
        if (Date.parse(result.startedAt) < Math.max(0, ...this.words)) this.broken.push(result.id);
        report.accepted += 1;
      }
    }
    this.duplicates += report.duplicates;
    return report;
  }
}

function send(response: ServerResponse, answer: Answer): void {
  const { status, headers, body = {} } = answer;
  const refused = status >= 400;
  const problem = { type: `urn:roundtrip:problem:${status}`, title: 'a refusal', status, detail: 'refused' };
  response.writeHead(status, { 'content-type': refused ? 'application/problem+json' : 'application/json', ...headers });
  response.end(JSON.stringify(refused ? Object.assign(problem, body) : body));
}
