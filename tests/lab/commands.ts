import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Ended } from './types.ts';

type Options = { input?: string; env?: NodeJS.ProcessEnv };

/** An ordinary user's PATH often lacks the folders where `ip` and nginx lie. */
const withSystemFolders = (env: NodeJS.ProcessEnv) => ({ ...env, PATH: `${env.PATH ?? ''}:/usr/sbin:/sbin` });

/** Runs a command to its end. Rejects only where it cannot be started. */
export function run(command: readonly string[], options: Options = {}): Promise<Ended> {
  const [file = '', ...args] = command;
  return new Promise((settle, reject) => {
    const child = spawn(file, args, { stdio: 'pipe', env: withSystemFolders(options.env ?? process.env) });
    const [stdout, stderr]: [string[], string[]] = [[], []];
    child.stdout.setEncoding('utf8').on('data', (text: string) => stdout.push(text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => stderr.push(text));
    child.on('error', reject);
    child.on('close', (status) => settle({ status, stdout: stdout.join(''), stderr: stderr.join('') }));
    // A command that ends without reading its input is no fault.
    child.stdin.on('error', () => {});
    child.stdin.end(options.input);
  });
}

/** Runs a command that must succeed, and gives what it wrote. Throws with the command and its complaint. */
export async function must(...command: string[]): Promise<string> {
  const { status, stdout, stderr } = await run(command);
  if (status !== 0) throw new Error(`${command.join(' ')}: ${stderr.trim() || `status ${status}`}`);
  return stdout;
}

/** A process of the lab that answers in lines. It ends with its input. */
export class Part {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #name: string;
  readonly #exited: Promise<void>;
  #complaint = '';

  /** `detached`: a Ctrl-C at the terminal does not reach it. */
  constructor(name: string, command: readonly string[], detached = false) {
    const [file = '', ...args] = command;
    this.#name = name;
    const env = withSystemFolders(process.env);
    this.#child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'], env, detached });
    this.#exited = new Promise((settle) => this.#child.on('close', () => settle()));
    this.#child.on('error', (error) => {
      this.#complaint += error.message;
    });
    this.#child.stdin?.on('error', () => {});
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#complaint += text;
    });
    if (!this.#child.stdout) throw new Error(`${name} has no output`);
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** The next line. Throws with its complaint where it ended instead. */
  async line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (!done) return value;
    await this.#exited;
    throw new Error(`${this.#name} ended: ${this.#complaint.trim() || 'without a word'}`);
  }

  async ask(order: object): Promise<string> {
    this.#child.stdin?.write(`${JSON.stringify(order)}\n`);
    return this.line();
  }

  /** Ends its input; it then does what it has left to do. */
  end(): void {
    this.#child.stdin?.end();
  }

  /** Settles when the process is gone. */
  exited(): Promise<void> {
    return this.#exited;
  }
}
