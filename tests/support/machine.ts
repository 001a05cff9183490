import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensurePostgresUser } from '#cli/database/postgres/account.ts';
import { findBinaries } from '#cli/database/postgres/binaries.ts';
import { must, run } from '#tests/lab/commands.ts';
import { inNamespaceOf, inNewNamespace } from '#tests/lab/namespaces.ts';
import type { Container, Group, Mount } from './containers.ts';
import type { Image } from './image.ts';
import { collect, stop } from './process.ts';
import { enter } from './sandbox.ts';

// Starts containers as an engine would: the image's tree, its command with what the file says over it, its user, its volumes, names
// that lead to each other, in one network without a way out.

const HEALTH_PAUSE_MS = 200;
/** A container that is not healthy by then never will be, ms: on a busy machine Node takes half a minute to start. */
const PATIENCE_MS = 180_000;
/** The stand-in for images of PostgreSQL that are not built here listens as they do. */
const POSTGRES_PORT = 5432;
const isRoot = process.getuid?.() === 0;

/** A container that runs, or has run. */
type Running = { container: Container; child: ChildProcess; said: () => string };

/** One machine with a network of its own. */
export class Machine {
  readonly #folder: string;
  readonly #holder: ChildProcess;
  readonly #addresses: Map<string, string>;
  readonly #others: ChildProcess[] = [];
  readonly #running: Running[] = [];
  /** PostgreSQL runs outside of a tree, as a user who may not enter the checkout. */
  readonly #clusters = mkdtempSync(path.join(tmpdir(), 'roundtrip-machine-'));

  private constructor(folder: string, holder: ChildProcess, hosts: string[]) {
    chmodSync(this.#clusters, 0o711);
    this.#folder = folder;
    this.#holder = holder;
    this.#addresses = new Map(hosts.map((host, index) => [host, `127.0.1.${index + 1}`]));
  }

  /** `folder` is where its volumes are. */
  static async start(folder: string, { hosts, forwards }: Pick<Group, 'hosts' | 'forwards'>): Promise<Machine> {
    const [file = '', ...args] = [...inNewNamespace, 'sh', '-c', 'ip link set lo up && echo ready && exec cat'];
    const holder = spawn(file, args, {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
    });
    await once(holder.stdout, 'data');
    mkdirSync(path.join(folder, 'volumes'), { recursive: true });
    const machine = new Machine(folder, holder, hosts);
    const lines = [...machine.#addresses].map(([host, address]) => `${address} ${host}`);
    writeFileSync(path.join(folder, 'hosts'), ['127.0.0.1 localhost', ...lines, ''].join('\n'));
    for (const { host, port, to } of forwards) await machine.#forward(machine.#addresses.get(host) ?? '', port, to);
    return machine;
  }

  /** Ends all that runs. */
  async stop(): Promise<void> {
    await Promise.all(this.#running.map(({ child }) => stop(child, 'SIGKILL')));
    await Promise.all(this.#others.map((child) => stop(child, 'SIGINT')));
    rmSync(this.#clusters, { recursive: true, force: true });
    this.#holder.stdin?.end();
    if (this.#holder.exitCode === null) await once(this.#holder, 'close');
  }

  #inNetwork(argv: string[]): ChildProcess {
    const [file = '', ...args] = [...inNamespaceOf(this.#holder.pid ?? 0), ...argv];
    return spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  }

  /** As a Kubernetes service, whose port is not that of its pods. */
  async #forward(address: string, port: number, to: number): Promise<void> {
    const script = `const net = require('node:net');
      net.createServer((from) => {
        const on = net.connect(${to}, '127.0.0.1');
        from.on('error', () => on.destroy()).pipe(on.on('error', () => from.destroy())).pipe(from);
      }).listen(${port}, '${address}', () => console.log('listening'));`;
    const child = this.#inNetwork([process.execPath, '-e', script]);
    this.#others.push(child);
    await once(child.stdout ?? child, 'data');
  }

  /** Starts a container; resolves once it has ended with status 0, or is healthy. Throws with what it said where neither happens. */
  async run(container: Container, image: Image): Promise<void> {
    const running = this.#start(container, image, null);
    if (container.ends) {
      await ended(running);
      const { exitCode } = running.child;
      if (exitCode !== 0) throw new Error(`${container.name} ended with ${exitCode}: ${running.said()}`);
    } else await this.#untilHealthy(running, image);
  }

  /** What a command in a container, with its settings, writes on standard output. */
  async exec(container: Container, image: Image, argv: string[]): Promise<string> {
    const { child, said } = this.#start(container, image, argv);
    await ended({ child });
    if (child.exitCode !== 0)
      throw new Error(`${argv.join(' ')} in ${container.name} ended with ${child.exitCode}: ${said()}`);
    return said();
  }

  #start(container: Container, image: Image, exec: string[] | null): Running {
    // Whoever gives another entrypoint gives another command.
    const command = container.command ?? (container.entrypoint ? [] : image.command);
    const argv = exec ?? [...(container.entrypoint ?? image.entrypoint), ...command];
    const { tree, workdir } = image;
    const words = enter({
      ...{ tree, argv, workdir, networkOf: this.#holder.pid ?? 0 },
      env: { ...image.env, ...container.env },
      user: container.user ?? image.user,
      readOnly: container.readOnly,
      mounts: this.#mounts(container, image),
    });
    const [file = '', ...args] = words;
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const running = { container, child, said: collect(child) };
    this.#running.push(running);
    return running;
  }

  #mounts(container: Container, { volumes, tree }: Image): Record<string, string> {
    const mounts: Record<string, string> = { '/etc/hosts': path.join(this.#folder, 'hosts') };
    const anonymous = volumes.map((target) => [target, { volume: `${container.name}${target}` }] as const);
    for (const [target, mount] of Object.entries({ ...Object.fromEntries(anonymous), ...container.mounts })) {
      const name = mount !== 'scratch' && 'volume' in mount ? mount.volume : `${container.name}${target}`;
      const source = path.join(this.#folder, 'volumes', name.replaceAll('/', '-'));
      if (!existsSync(source)) makeVolume(source, mount, path.join(tree, target));
      mounts[target] = source;
    }
    return mounts;
  }

  async #untilHealthy({ container, child, said }: Running, image: Image): Promise<void> {
    const checks = container.health ?? (image.health ? [image.health] : []);
    if (checks.length === 0) throw new Error(`${container.name} stays, and nothing checks its health`);
    const until = performance.now() + PATIENCE_MS;
    for (const check of checks) {
      for (;;) {
        const { status, text } = await this.#check(container, image, check);
        if (status === 0) break;
        const hasEnded = child.exitCode !== null || child.signalCode !== null;
        if (hasEnded || performance.now() > until) {
          const how = hasEnded
            ? `ended with ${child.exitCode ?? child.signalCode}`
            : `is not healthy: ${JSON.stringify(check)}: ${text}`;
          throw new Error(`${container.name} ${how}; it said: ${said()}`);
        }
        await sleep(HEALTH_PAUSE_MS);
      }
    }
  }

  async #check(container: Container, image: Image, check: string[] | { port: number; path: string }) {
    if (Array.isArray(check)) {
      const { child, said } = this.#start(container, image, check);
      await ended({ child });
      return { status: child.exitCode, text: said() };
    }
    const script = `fetch('http://127.0.0.1:${check.port}${check.path}').then(async (answer) => {
      console.log(await answer.text()); process.exit(answer.ok ? 0 : 1); })`;
    const { status, stdout } = await run([...inNamespaceOf(this.#holder.pid ?? 0), process.execPath, '-e', script]);
    return { status, text: stdout };
  }

  /** Whether a container's image is PostgreSQL's, or one with extensions. */
  static isPostgres({ image, command, entrypoint }: Container): boolean {
    return /^(postgres|citusdata\/citus):/.test(image) && entrypoint === null && command?.[0] === 'postgres';
  }

  /**
   * Runs the embedded PostgreSQL with the cluster, the database and the settings that the container asks of its image, at the address of
   * its service; without extensions, which it does not have.
   */
  async runPostgres({ name, env, command }: Pick<Container, 'name' | 'env' | 'command'>, host: string): Promise<void> {
    const account = isRoot ? await ensurePostgresUser(() => {}) : null;
    const folder = path.join(this.#clusters, name.replaceAll('/', '-'));
    mkdirSync(folder);
    const { initdb, postgres } = await findBinaries(account, folder);
    writeFileSync(path.join(folder, 'password'), env.POSTGRES_PASSWORD ?? '');
    if (account) await must('chown', '-R', `${account.uid}:${account.gid}`, folder);
    const as = account ? ['setpriv', `--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups'] : [];
    const cluster = path.join(folder, 'cluster');
    const given = (env.POSTGRES_INITDB_ARGS ?? '').split(' ').filter(Boolean);
    const login = [
      `--username=${env.POSTGRES_USER}`,
      `--pwfile=${path.join(folder, 'password')}`,
      '--auth=scram-sha-256',
    ];
    await must(...as, initdb, '-D', cluster, '--no-sync', ...login, ...given);
    const single = await run([...as, postgres, '--single', '-D', cluster, 'postgres'], {
      input: `create database ${env.POSTGRES_DB}\n`,
    });
    if (single.status !== 0) throw new Error(single.stderr);
    const settings = (command ?? []).slice(1).filter((word) => !/citus|config_file/.test(word));
    const kept = settings.filter((word, index) => !(word === '-c' && (settings[index + 1] ?? '-c') === '-c'));
    const own = [
      '-c',
      `listen_addresses=${this.#addresses.get(host)}`,
      '-c',
      `port=${POSTGRES_PORT}`,
      '-c',
      `unix_socket_directories=${folder}`,
    ];
    const child = this.#inNetwork([...as, postgres, '-D', cluster, ...kept, ...own, '-c', 'fsync=off']);
    this.#others.push(child);
    const said = collect(child);
    while (!said().includes('ready to accept connections')) {
      if (child.exitCode !== null) throw new Error(`PostgreSQL for ${name}: ${said()}`);
      await sleep(HEALTH_PAUSE_MS / 4);
    }
  }
}

/** The stage of the Dockerfile that an image of ours is. */
export const targetOf = ({ image }: Pick<Container, 'image'>) => /^roundtrip-(\w+):/.exec(image)?.[1] ?? '';

async function ended({ child }: { child: ChildProcess }): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
}

/** As an engine makes it: scratch for everybody, a volume as the image's folder in its place, or for the group of the pod alone. */
function makeVolume(source: string, mount: Mount, place: string): void {
  mkdirSync(source);
  if (mount === 'scratch') chmodSync(source, 0o1777);
  else if ('files' in mount) {
    for (const [file, text] of Object.entries(mount.files)) writeFileSync(path.join(source, file), text);
  } else if (mount.group === undefined && existsSync(place)) {
    const { uid, gid, mode } = statSync(place);
    if (isRoot) chownSync(source, uid, gid);
    chmodSync(source, mode);
  } else if (mount.group) {
    if (isRoot) chownSync(source, 0, mount.group);
    chmodSync(source, 0o2775);
  }
}
