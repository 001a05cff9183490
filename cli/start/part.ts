import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { bundleOf, type ENTRIES, ROOT } from '../dist.mjs';
import { LogFile, type LogMark } from '../log-file.ts';
import { StartError } from '../start-error.ts';

/** Pauses before the first restart and before every later one: with its start a part that crashes is back within 5 s. */
const RETRY_MS = { first: 1_000, later: 2_000 };
/** A part that ran this long has recovered: its next crash counts as the first. */
const SETTLED_MS = 60_000;
/** A part that has ended this often without recovering fails by itself: restarts do not help. */
const HOPELESS_ENDS = 3;
/** A part that is not wanted any more may take this long to end. */
const REST_GRACE_MS = 5_000;
/** Characters of a log's line that the terminal shows. */
const MAX_REASON = 300;

/** What a part of Roundtrip is: a Node process of its own that the supervisor starts, watches and stops. */
export type PartSpec = {
  name: string;
  /** What Node runs. */
  entry: keyof typeof ENTRIES;
  /** Options of Node itself. */
  nodeArgs?: string[];
  /** Read again at every start, so that a part can be given something new after it ended. Null: it is not to run. */
  env: () => PartEnv | Promise<PartEnv>;
  /** Everything the part prints goes to this file. */
  logFile: string;
  onMessage?: (message: unknown, conversation: Conversation) => Promise<void>;
  /** Rejects with what outside of the part keeps it from running, such as a port in use. Called when it ended unasked. */
  checkSurroundings?: () => Promise<void>;
};

/**
 * The C library keeps pools of memory for many threads, each with its own leftovers: two are enough. Pieces of 64 kB and more stand
 * alone, and go back to the system when they are freed.
 */
const MALLOC = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '65536', MALLOC_TRIM_THRESHOLD_: '131072' };

type PartEnv = Record<string, string> | null;

/** A talk with a part: `rest` ends it for good without calling that a fault. */
export type Conversation = { reply: (answer: object) => void; rest: (why: string) => void };

/** Says in one line that a part ended and what is done about it. */
export type Announce = (name: string, text: string) => void;

/** One run of a part: when it began (ms), and where in its log. */
type Run = { startedAt: number; logStart: LogMark };

/** A part that is kept running: when it ends unasked it is started again. */
export class Part {
  readonly spec: PartSpec;
  readonly log: LogFile;
  readonly #announce: Announce;
  #child: ChildProcess | null = null;
  #stopping = false;
  #ends = 0;
  #announced = { what: '', times: 0 };
  readonly #gaveUp = new AbortController();
  #retry: NodeJS.Timeout | null = null;

  constructor(spec: PartSpec, announce: Announce) {
    this.spec = spec;
    this.log = new LogFile(spec.logFile);
    this.#announce = announce;
  }

  /** Aborted once restarts do not help, with a StartError that says why. */
  get gaveUp(): AbortSignal {
    return this.#gaveUp.signal;
  }

  /** Starts the process. False where it is not to run, or a stop came first. */
  async start(): Promise<boolean> {
    const env = await this.spec.env();
    if (this.#stopping || env === null) return false;
    const output = this.log.open();
    const run = this.#newRun();
    const child = spawnPart(this.spec, env, output);
    this.#child = child;
    child.on('message', (message) => this.#onMessage(child, message));
    child.once('error', (error) => this.#ended(run, `(${error.message})`));
    child.once('exit', (code, signal) => this.#ended(run, signal ? `by ${signal}` : `with exit status ${code}`));
    return true;
  }

  #newRun(): Run {
    return { startedAt: performance.now(), logStart: this.log.mark() };
  }

  #onMessage(child: ChildProcess, message: unknown): void {
    const conversation: Conversation = {
      reply: (answer) => child.connected && child.send(answer),
      rest: (why) => {
        this.#announce(this.spec.name, why);
        void this.stop(REST_GRACE_MS);
      },
    };
    this.spec.onMessage?.(message, conversation).catch((error: Error) => {
      this.#announce(this.spec.name, `message could not be processed: ${error.message}`);
      child.kill('SIGTERM');
    });
  }

  #ended(run: Run, how: string): void {
    this.#child = null;
    if (this.#stopping) return;
    if (this.#retry) clearTimeout(this.#retry);
    if (performance.now() - run.startedAt > SETTLED_MS) this.#ends = 0;
    this.#ends += 1;
    const pause = this.#ends === 1 ? RETRY_MS.first : RETRY_MS.later;
    this.#retry = setTimeout(() => {
      const failed = this.#newRun();
      this.start().catch((error: Error) => this.#ended(failed, `(${error.message})`));
    }, pause);
    void this.#explain(run, how, pause);
  }

  /** Announces an end and its reason; one that repeats is announced twice, the second time for good. */
  async #explain(run: Run, how: string, pause: number): Promise<void> {
    const ends = this.#ends;
    const outside = await this.spec.checkSurroundings?.().then(
      () => null,
      (error: Error) => error.message,
    );
    if (this.#stopping) return;
    const reason = outside ?? (how.startsWith('by ') ? '' : lastError(this.log.since(run.logStart)));
    const what = `ended ${how}${reason ? `: ${reason}` : ''}`;
    if (outside) this.#gaveUp.abort(new StartError(outside));
    else if (ends >= HOPELESS_ENDS)
      this.#gaveUp.abort(new StartError(`${this.spec.name} ${what}, ${ends} times (see ${this.spec.logFile}).`));
    const times = ends > 1 && what === this.#announced.what ? this.#announced.times + 1 : 1;
    this.#announced = { what, times };
    const next =
      times === 1 ? `restarting in ${pause / 1_000} s` : `again: restarting every ${pause / 1_000} s until it stays up`;
    if (times <= 2) this.#announce(this.spec.name, `${what}, ${next} (see ${this.spec.logFile})`);
  }

  /** Asks the part to end and kills it after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    if (this.#retry) clearTimeout(this.#retry);
    const child = this.#child;
    if (!child) return;
    const exit = once(child, 'exit');
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    child.kill('SIGTERM');
    await exit;
    clearTimeout(timer);
  }

  /** Ends the part at once. */
  kill(): void {
    this.#stopping = true;
    this.#child?.kill('SIGKILL');
  }
}

/** What it prints goes to `output`, a file descriptor, which is closed here. */
function spawnPart(spec: PartSpec, env: Record<string, string>, output: number): ChildProcess {
  const args = [
    '--import',
    `./${bundleOf('leash')}`,
    '--disable-warning=ExperimentalWarning',
    ...(spec.nodeArgs ?? []),
    bundleOf(spec.entry),
  ];
  // From the root and as plain `node`: a list of processes then shows what each is, not where it lies.
  const child = spawn(process.execPath, args, {
    argv0: 'node',
    cwd: ROOT,
    env: { ...process.env, NODE_ENV: 'production', ...MALLOC, ...env },
    stdio: ['ignore', output, output, 'ipc'],
    // A process group of its own: Ctrl-C in the terminal reaches the supervisor alone, which stops the parts in order.
    detached: true,
  });
  closeSync(output);
  return child;
}

/** What a process wrote of why it ended: its last error, else its last line; '' where it wrote nothing. */
function lastError(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return (lines.findLast((line) => /^(Uncaught )?\w*Error\b/.test(line)) ?? lines.at(-1) ?? '').slice(0, MAX_REASON);
}
