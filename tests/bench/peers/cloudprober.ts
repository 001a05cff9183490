import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { cpuOf, onCore, PROBER_CORE, start, watchPeak } from '../truth-process.ts';
import type { Load, NotificationState, Run, Tool, TruthLab } from '../truth-types.ts';
import { buildPeer } from './build.ts';
import { settingsOf } from './cloudprober-settings.ts';

/** How long it may take beyond the time in which all its probes have started. */
const PATIENCE_MS = 20_000;

/** cloudprober with a list of targets, each probed once; its figures are read from its file surfacer. */
export async function findCloudprober(): Promise<Tool | string> {
  const peer = await buildPeer('cloudprober', 'github.com/cloudprober/cloudprober');
  if (typeof peer === 'string') return peer;
  return { name: 'cloudprober', version: peer.version, run: (lab, load) => run(peer.file, lab, load) };
}

async function run(file: string, lab: TruthLab, load: Load): Promise<Run> {
  const folder = mkdtempSync(path.join(tmpdir(), 'roundtrip-truth-'));
  const settings = path.join(folder, 'cloudprober.cfg');
  const { text, spreadMs } = settingsOf(lab, load);
  writeFileSync(settings, text);
  const command = [file, `--config_file=${settings}`, '--cloud_metadata=none', '--min_log_level=ERROR'];
  const prober = start([...lab.inProber, ...onCore(PROBER_CORE, command)], ['ignore', 'pipe', 'ignore']);
  const watch = watchPeak(() => prober.pid ?? null, lab.server.port);
  // Whoever is not told by then has failed; the kill below ends the output, and with it the reading.
  const patience = setTimeout(() => prober.kill('SIGKILL'), spreadMs + PATIENCE_MS);
  try {
    const ended = await readProbes(prober, load.count);
    const cpu = cpuOf(prober.pid ?? 0);
    const good = ended.filter(({ ok }) => ok);
    return { told: good.map(({ told }) => told), failed: load.count - good.length, cpu, peak: watch.stop() };
  } finally {
    clearTimeout(patience);
    watch.stop();
    prober.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

type Line = { ok: boolean; told: NotificationState };

/** The first probe of each of so many targets. */
async function readProbes(prober: ReturnType<typeof start>, count: number): Promise<Line[]> {
  if (!prober.stdout) throw new Error('cloudprober has no output');
  const lines: Line[] = [];
  for await (const line of createInterface({ input: prober.stdout })) {
    const read = lineOf(line);
    if (read) lines.push(read);
    if (lines.length === count) break;
  }
  return lines;
}

/** `... labels=ptype=http,probe=page,dst=10.0.0.1 total=1 success=1 latency=60123.4 connect_latency=...`, in microseconds. */
function lineOf(line: string): Line | null {
  const [, address] = /\bdst=((?:\d+\.){3}\d+)/.exec(line) ?? [];
  const [, total] = /\btotal=(\d+)/.exec(line) ?? [];
  if (address === undefined || total !== '1') return null;
  const ms = (name: string) => {
    const [, micros] = new RegExp(`\\b${name}_latency=([\\d.]+)`).exec(line) ?? [];
    return micros === undefined ? null : Number(micros) / 1_000;
  };
  const tlsMs = ms('tls_handshake');
  const told = { connectMs: ms('connect'), tlsMs, wireMs: tlsMs, firstByteMs: ms('first_byte'), own: null };
  return { ok: /\bsuccess=1\b/.test(line), told: { localPort: null, address, ...told } };
}
