import { keepLogsSmall, type LogFile } from '../log-file.ts';
import type { Clerk } from './clerk.ts';
import type { StartOptions } from './options.ts';
import { Part, type PartSpec } from './part.ts';
import type { Terminal } from './terminal.ts';

/** What every step of the start works with. `folder` is the data folder's absolute path. */
export type Start = { options: StartOptions; folder: string; terminal: Terminal; running: Running; clerk: Clerk };

/** How long each part may take to end, in milliseconds; together below the 10 s that a stop may take. */
const GRACE_MS = { measuring: 2_500, web: 2_500, jobs: 2_500 } as const;

type Kind = keyof typeof GRACE_MS;
type Stoppable = { stop: () => Promise<void>; logFile?: LogFile };

/** Everything that was started, so that it can be stopped in order whenever the wish to stop comes; until then its logs are kept small. */
export class Running {
  readonly #terminal: Terminal;
  readonly #clerk: Clerk;
  readonly #parts: { kind: Kind; part: Part }[] = [];
  readonly #abort = new AbortController();
  #database: Promise<Stoppable> | null = null;
  #databaseLog: LogFile | undefined;
  readonly #leaveLogs: () => void;
  #stopped: Promise<void> | null = null;
  readonly #failed = Promise.withResolvers<never>();

  /** Logs are looked at once a minute, or every `lookMs`. */
  constructor(terminal: Terminal, clerk: Clerk, lookMs?: number) {
    this.#terminal = terminal;
    this.#clerk = clerk;
    this.#leaveLogs = keepLogsSmall(() => this.#logs(), lookMs);
  }

  #logs(): LogFile[] {
    const logs = [this.#clerk.log, ...this.#parts.map(({ part }) => part.log)];
    return this.#databaseLog ? [...logs, this.#databaseLog] : logs;
  }

  /** Aborted as soon as a stop is asked for, also in the middle of the start. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Rejects when something without which the whole cannot go on has failed for good. */
  get failed(): Promise<never> {
    return this.#failed.promise;
  }

  fail(error: unknown): void {
    this.#failed.reject(error);
  }

  /** Keeps the database, from the moment when its start begins, to be stopped last. */
  holdDatabase<T extends Stoppable>(database: Promise<T>): Promise<T> {
    this.#database = database;
    return database.then((held) => {
      this.#databaseLog = held.logFile;
      return held;
    });
  }

  /** Starts a part that is stopped together with the others of its kind. Null where it is not to run. */
  async startPart(kind: Kind, spec: PartSpec): Promise<Part | null> {
    this.signal.throwIfAborted();
    const part = new Part(spec, (name, text) => this.#terminal.line(name, text));
    this.#parts.push({ kind, part });
    return (await part.start()) ? part : null;
  }

  /** Stops measuring first, so that nothing is lost on the way; then web, jobs and the database. */
  stop(): Promise<void> {
    this.#abort.abort();
    this.#stopped ??= this.#stopInOrder();
    return this.#stopped;
  }

  async #stopInOrder(): Promise<void> {
    this.#leaveLogs();
    for (const kind of ['measuring', 'web', 'jobs'] as const) {
      const parts = this.#parts.filter((each) => each.kind === kind);
      await Promise.all(parts.map(({ part }) => part.stop(GRACE_MS[kind])));
    }
    this.#clerk.stop();
    const database = await this.#database?.catch(() => null);
    await database?.stop();
  }

  /** Kills every part at once; the database still gets its own way to end. */
  async force(): Promise<void> {
    this.#abort.abort();
    this.#leaveLogs();
    for (const { part } of this.#parts) part.kill();
    this.#clerk.stop();
    const database = await this.#database?.catch(() => null);
    await database?.stop();
  }
}
