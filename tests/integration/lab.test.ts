import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectionsOf } from '#lab/connections.ts';
import { labProblem, openLab } from '#lab/lab.ts';
import { truthOf } from '#lab/truth.ts';
import type { Lab } from '#lab/types.ts';

const RTT = 12;
const problem = await labProblem((text) => process.stderr.write(`${text}\n`));
if (problem) process.stderr.write(`The lab's tests are left out. ${problem}\n`);

const namespaces = () => spawnSync('ip', ['netns', 'list'], { encoding: 'utf8' }).stdout;
const hasTcpdump = spawnSync('tcpdump', ['--version']).status === 0;

/** Opens a lab in a process of its own, says what it made, and waits to be ended. */
const OWNER = `
import { openLab } from '#lab/lab.ts';
const { proberNamespace, serverNamespace, folder } = await openLab({ rttMs: 1, drops: true, scenarios: [{ name: 'a' }] });
console.log(JSON.stringify({ proberNamespace, serverNamespace, folder }));
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
    lab = await openLab({ rttMs: RTT, drops: true, scenarios: [{ name: 'a', tls: '1.3' }] });
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
    const made: Record<'proberNamespace' | 'serverNamespace' | 'folder', string> = JSON.parse(line);
    expect(namespaces()).toContain(made.proberNamespace);
    owner.kill('SIGKILL');
    // The keeper removes the folder last, and shows nothing else to wait for.
    await vi.waitUntil(() => !existsSync(made.folder), { timeout: 10_000, interval: 50 });
    expect(namespaces()).not.toContain(made.proberNamespace);
    expect(namespaces()).not.toContain(made.serverNamespace);
  });

  it('names what is wrong with a scenario, and leaves nothing behind', async () => {
    const scenarios = [{ name: 'a b' }];
    await expect(openLab({ rttMs: 1, drops: true, scenarios })).rejects.toThrow('scenario name a b');
    // The one that is open has the number before.
    expect(namespaces()).not.toContain(`rtlab-${process.pid}-2`);
  });
});
