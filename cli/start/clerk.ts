import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { PasswordState } from '#server/access/admin.ts';
import { bundleOf, ROOT } from '../dist.mjs';
import { LogFile } from '../log-file.ts';

/** How long (ms) the clerk waits for the next question before it goes. */
const IDLE_MS = 5_000;

/** What the demo's process is to hear or do after it said something. */
export type DemoAnswer = {
  /** Goes back to it. */
  reply?: object;
  /** It is to end, and why. */
  rest?: string;
};

/** What the clerk does, each with its own database connection to `DATABASE_URL` (clerk-main.ts). */
export type Errands = {
  /** Names of the migrations that ran. */
  migrate: (url: string) => Promise<string[]>;
  /** How many were added. */
  addTargets: (urls: string[]) => Promise<number>;
  ensureAdminPassword: () => Promise<PasswordState>;
  decideDemo: (wanted: boolean) => Promise<{ run: boolean; why: string }>;
  answerDemo: (message: unknown) => Promise<DemoAnswer>;
  /** Whether the demo's past is still to be loaded. */
  lacksPast: () => Promise<boolean>;
  /** Environment of this machine's prober; null where it is not to run. */
  localProberEnv: (folder: string) => Promise<Record<string, string> | null>;
};
export type Question = { id: number; errand: keyof Errands; asked: unknown[] };
type Failure = { name: string; message: string; stack: string; databaseAway: boolean };
export type Answer = { id: number; value: unknown } | { id: number; failure: Failure };

/** An errand failed; `name` and `message` are those of the error there. */
export class ErrandError extends Error {
  readonly databaseAway: boolean;

  constructor({ name, message, stack, databaseAway }: Failure) {
    super(message);
    this.name = name;
    this.stack = stack;
    this.databaseAway = databaseAway;
  }
}

type Waiting = { resolve: (value: never) => void; reject: (error: Error) => void };

/**
 * Does what the supervisor wants of the database in another process, which is started when something is asked and ends when
 * nothing more is: so the supervisor loads neither Prisma nor the server's rooms.
 */
export class Clerk {
  readonly log: LogFile;
  readonly #waiting = new Map<number, Waiting>();
  #child: ChildProcess | null = null;
  #idle: NodeJS.Timeout | undefined;
  #asked = 0;
  #stopped = false;

  /** What it prints goes to `logFile`. */
  constructor(logFile: string) {
    this.log = new LogFile(logFile);
  }

  /** Rejects with an ErrandError where the errand failed, and with an Error where the clerk ended before it was done. */
  async do<Name extends keyof Errands>(
    errand: Name,
    ...asked: Parameters<Errands[Name]>
  ): Promise<Awaited<ReturnType<Errands[Name]>>> {
    if (this.#stopped) throw new Error('the clerk has gone');
    clearTimeout(this.#idle);
    this.#child ??= this.#start();
    const id = this.#asked++;
    const { promise, resolve, reject } = Promise.withResolvers<never>();
    this.#waiting.set(id, { resolve, reject });
    // What fails here ends the child as well, and is told by its events.
    this.#child.send({ id, errand, asked } satisfies Question, () => {});
    return promise;
  }

  /** Ends it at once; what is under way rolls back. */
  stop(): void {
    this.#stopped = true;
    this.#child?.kill('SIGTERM');
  }

  #start(): ChildProcess {
    const log = this.log.open();
    // In the supervisor's process group: Ctrl-C in the terminal ends a migration that it started, too.
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', bundleOf('clerk')], {
      argv0: 'node',
      cwd: ROOT,
      env: { ...process.env, NODE_ENV: 'production' },
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    child.on('message', (answer: Answer) => this.#take(answer));
    // One that cannot be started says so twice, once for what it was sent.
    child.on('error', (error) => this.#ended(child, error.message));
    child.once('exit', (code, signal) => this.#ended(child, signal ?? `exit status ${code}`));
    return child;
  }

  #take(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ('failure' in answer) waiting?.reject(new ErrandError(answer.failure));
    else waiting?.resolve(answer.value as never);
    if (this.#waiting.size > 0) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#dismiss(), IDLE_MS).unref();
  }

  /** It ends by itself; a caller that asks meanwhile gets another. */
  #dismiss(): void {
    const child = this.#child;
    this.#child = null;
    if (child?.connected) child.disconnect();
  }

  #ended(child: ChildProcess, how: string): void {
    if (this.#child !== child) return;
    this.#child = null;
    const error = new Error(`the process that works with the database ended (${how}); see ${this.log.file}`);
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
