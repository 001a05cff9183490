import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Random } from '#analysis/synthetic/random.ts';
import { MIDDLEBOX, type Fault as OnTheWay } from '../support/fault-proxy.ts';
import type { BenchProber, World } from './world.ts';

/** Something that goes wrong: it lasts until `hurt` resolves, and nobody lends a hand afterwards. */
export type Fault = { name: string; hurt(world: World, random: Random): Promise<void> };

const LASTS_MS = 4_000;
const DISK_FULL_MS = 6_000;

const lasts = (ms = LASTS_MS) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** For a while every request of a prober meets this on its way. */
const onTheWay = (name: string, fault: OnTheWay | (() => OnTheWay | null)): Fault => ({
  name,
  async hurt({ proxy }) {
    proxy.fault = typeof fault === 'function' ? fault : () => fault;
    await lasts();
    proxy.fault = () => null;
    proxy.release();
  },
});

/** Held until the requests of other probers have overtaken it. */
function everyOther(fault: OnTheWay): () => OnTheWay | null {
  let number = 0;
  return () => (++number % 2 === 0 ? fault : null);
}

const killed = (name: string, pidOf: (world: World) => number | undefined): Fault => ({
  name: `kill -9 of ${name}`,
  async hurt(world) {
    const pid = pidOf(world);
    if (pid === undefined) throw new Error(`${name} does not run`);
    process.kill(pid, 'SIGKILL');
  },
});

/** Writes a file until its disk has no byte left, for as long as `hurt` takes. */
async function full(folder: string, hurt: () => Promise<void>): Promise<void> {
  const file = path.join(folder, 'filler');
  const handle = openSync(file, 'w');
  const fill = (block: Buffer) => {
    try {
      for (;;) writeSync(handle, block);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  };
  for (const size of [1_048_576, 4_096, 1]) fill(Buffer.alloc(size, 1));
  await hurt();
  closeSync(handle);
  rmSync(file);
}

const anyProber = (world: World, random: Random): BenchProber => {
  const prober = world.probers[random.integer(0, world.probers.length - 1)];
  if (!prober) throw new Error('there is no prober');
  return prober;
};

/** Faults of the way between prober and server. */
export const WAY: Fault[] = [
  onTheWay('a proxy answers 400 text/html', MIDDLEBOX.html400),
  onTheWay('a proxy answers an empty 400', MIDDLEBOX.empty400),
  onTheWay('a captive portal answers 401', MIDDLEBOX.html401),
  onTheWay('a captive portal answers 200 text/html', MIDDLEBOX.portal200),
  onTheWay('a proxy answers 503', MIDDLEBOX.html503),
  onTheWay('connections break', { kind: 'hangUp' }),
  onTheWay('answers are lost after the server has the request', { kind: 'loseAnswer' }),
  onTheWay('every request arrives twice', { kind: 'double', answer: 'second' }),
  onTheWay('requests overtake each other', everyOther({ kind: 'hold', requests: 2 })),
];

/** Processes that die. */
export const KILLS: Fault[] = [
  {
    name: 'kill -9 of a prober',
    async hurt(world, random) {
      anyProber(world, random).kill();
    },
  },
  killed('the web process', (world) => world.pidOf('next-server')),
  killed('the jobs process', (world) => world.pidOf('dist/jobs.mjs')),
  killed('the postmaster', (world) => world.pidOf('/cluster')),
  killed('the supervisor', (world) => world.supervisorPid()),
];

/** Disks without a byte left. */
export const DISKS: Fault[] = [
  {
    name: 'the disk of a prober is full',
    hurt: async (world, random) => full(anyProber(world, random).folder, () => lasts(DISK_FULL_MS)),
  },
  {
    name: 'the disk of the server is full',
    hurt: async (world) => full(world.folder, () => lasts(DISK_FULL_MS)),
  },
];
