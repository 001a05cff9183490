import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openLab } from '#tests/lab/lab.ts';
import type { Lab } from '#tests/lab/types.ts';
import { problem } from '../support/lab-scene.ts';
import { connectionsOf } from '../support/packets/connections.ts';
import { truthOf } from '../support/packets/truth.ts';

const RTT = 12;

/** What `read` makes of each process's folder in /proc, of those that are there and may be asked. */
function ofProcesses(read: (folder: string) => string): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      return [read(`/proc/${pid}`)];
    } catch {
      return [];
    }
  });
}

const networks = () => new Set(ofProcesses((folder) => readlinkSync(`${folder}/ns/net`)));
const commandLines = () => ofProcesses((folder) => readFileSync(`${folder}/cmdline`, 'latin1'));
// As root in a user namespace it fails: it wants to become another user, of which there is none.
const hasTcpdump = process.getuid?.() === 0 && spawnSync('tcpdump', ['--version']).status === 0;

/** Opens a lab in a process of its own, says what it made, and waits to be ended. */
const OWNER = `
import { openLab } from '#tests/lab/lab.ts';
import { run } from '#tests/lab/commands.ts';
const { inProber, inServer, folder } = await openLab({ rttMs: 1, scenarios: [{ name: 'a' }] });
const network = async (inside) => (await run([...inside, 'readlink', '/proc/self/ns/net'])).stdout.trim();
console.log(JSON.stringify({ networks: [await network(inProber), await network(inServer)], folder }));
setInterval(() => {}, 1_000);
`;

const FETCH = `
require('node:https').get(process.argv[1], { agent: false }, (answer) => answer.resume())
  .on('error', () => process.exit(1));
`;
const withRoot = ({ caFile }: Lab) => ({ ...process.env, NODE_EXTRA_CA_CERTS: caFile });

describe.skipIf(problem !== null)('the lab', () => {
  let lab: Lab;

  beforeAll(async () => {
    lab = await openLab({ rttMs: RTT, scenarios: [{ name: 'a', tls: '1.3' }] });
  });
  afterAll(() => lab?.close());

  it.skipIf(!hasTcpdump)('captures what tcpdump captures', async () => {
    const file = path.join(lab.folder, 'tcpdump.pcap');
    const only = `tcp and host ${lab.address}`;
    const tcpdump = lab.spawn([
      'tcpdump',
      '-i',
      'line0',
      '-U',
      '--immediate-mode',
      '--time-stamp-precision=nano',
      '-w',
      file,
      only,
    ]);
    const ended = once(tcpdump, 'close');
    await once(tcpdump.stderr ?? tcpdump, 'data');
    const capture = await lab.capture();
    const url = `https://${lab.address}:${lab.ports.a}/`;
    const { status } = await lab.exec([process.execPath, '-e', FETCH, url], { env: withRoot(lab) });
    expect(status).toBe(0);
    const { pcap, missed } = await capture.stop();
    tcpdump.kill('SIGINT');
    await ended;
    expect(missed).toBe(0);
    const ours = connectionsOf(pcap, lab.proberAddress);
    const theirs = connectionsOf(readFileSync(file), lab.proberAddress);
    expect(theirs).toHaveLength(1);
    const [own, other] = [ours, theirs].map(([connection]) => connection && truthOf(connection, { lineRttMs: RTT }));
    expect(own?.roundTrips).toEqual({ tls: 1, firstPacket: 1, firstUsable: expect.any(Number) });
    expect(own?.wireMs).toBeCloseTo(other?.wireMs ?? Number.NaN, 2);
    expect(own?.connectMs).toBeCloseTo(other?.connectMs ?? Number.NaN, 2);
    expect(own?.connectMs).toBeGreaterThanOrEqual(RTT);
  });

  it('leaves nothing behind when its owner is killed', async () => {
    const owner = spawn(process.execPath, ['--input-type=module-typescript', '-e', OWNER], { cwd: process.cwd() });
    const [line] = (await once(createInterface({ input: owner.stdout }), 'line')) as [string];
    const made: { networks: string[]; folder: string } = JSON.parse(line);
    expect(new Set(made.networks).size).toBe(2);
    expect(networks()).toEqual(new Set([...networks(), ...made.networks]));
    owner.kill('SIGKILL');
    // The keeper removes the folder and ends, and with it the last namespace.
    const isGone = () => !existsSync(made.folder) && made.networks.every((network) => !networks().has(network));
    await vi.waitUntil(isGone, { timeout: 60_000, interval: 50 });
  });

  it('names what is wrong with a scenario, and leaves nothing behind', async () => {
    const own = mkdtempSync(path.join(tmpdir(), 'lab-test-'));
    vi.stubEnv('TMPDIR', own);
    const opened = openLab({ rttMs: 1, scenarios: [{ name: 'a b' }] });
    await expect(opened).rejects.toThrow('scenario name a b');
    vi.unstubAllEnvs();
    expect(readdirSync(own)).toEqual([]);
    expect(commandLines().filter((line) => line.includes(own))).toEqual([]);
  });
});
