import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { cpuOf, OTHER_CORE, onCore, PROBER_CORE, start, watchPeak } from '../truth-process.ts';
import type { Load, NotificationState, Run, Tool, TruthLab } from '../truth-types.ts';
import { buildPeer } from './build.ts';
import { SCRAPE_PROGRAM, type ScrapeLine, type ScrapeOrder } from './scrape.ts';

const EXPORTER_PORT = 9_115;

/** Prometheus' blackbox_exporter, asked for its probes over HTTP. */
export async function findBlackbox(): Promise<Tool | string> {
  const peer = await buildPeer('blackbox_exporter', 'github.com/prometheus/blackbox_exporter');
  if (typeof peer === 'string') return peer;
  return { name: 'blackbox_exporter', version: peer.version, run: (lab, load) => run(peer.file, lab, load) };
}

async function run(file: string, lab: TruthLab, load: Load): Promise<Run> {
  const folder = mkdtempSync(path.join(tmpdir(), 'roundtrip-truth-'));
  const settings = path.join(folder, 'blackbox.yml');
  writeFileSync(settings, settingsOf(lab));
  const command = [file, `--config.file=${settings}`, `--web.listen-address=127.0.0.1:${EXPORTER_PORT}`];
  const exporter = start([...lab.inProber, ...onCore(PROBER_CORE, command)]);
  const watch = watchPeak(() => exporter.pid ?? null, lab.server.port);
  try {
    await listening(exporter);
    const lines = await scrape(lab, load);
    const cpu = cpuOf(exporter.pid ?? 0);
    const good = lines.filter(({ ok }) => ok);
    return { told: good.map(toTold), failed: load.count - good.length, cpu, peak: watch.stop() };
  } finally {
    watch.stop();
    exporter.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Waits for the sentence by which the exporter says that it serves. */
async function listening(exporter: ReturnType<typeof start>): Promise<void> {
  exporter.stdout?.resume();
  if (!exporter.stderr) throw new Error('blackbox_exporter has no output');
  const lines = createInterface({ input: exporter.stderr });
  const said: string[] = [];
  for await (const line of lines) {
    said.push(line);
    // Leaving the loop closes the reader, so the pipe is drained from here on.
    if (line.includes('Listening on')) return void exporter.stderr.resume();
  }
  throw new Error(`blackbox_exporter ended: ${said.join('\n')}`);
}

async function scrape(lab: TruthLab, load: Load): Promise<ScrapeLine[]> {
  const { server } = lab;
  const targets = lab.addresses(load.count).map((address) => targetOf(address, server, load.http));
  const module = load.http ? 'page' : 'handshake';
  const order: ScrapeOrder = { load, exporterPort: EXPORTER_PORT, module, targets };
  const command = [process.execPath, SCRAPE_PROGRAM, JSON.stringify(order)];
  const driver = start([...lab.inProber, ...onCore(OTHER_CORE, command)], ['ignore', 'pipe', 'inherit']);
  if (!driver.stdout) throw new Error('the scraper has no output');
  const lines: ScrapeLine[] = [];
  createInterface({ input: driver.stdout }).on('line', (line) => lines.push(JSON.parse(line)));
  const [status] = await once(driver, 'close');
  if (status !== 0) throw new Error(`the scraper of blackbox_exporter ended with ${status}`);
  return lines;
}

function targetOf(address: string, { port, path: page }: TruthLab['server'], http: boolean): string {
  return http ? `https://${address}:${port}${page}` : `${address}:${port}`;
}

function settingsOf({ server }: TruthLab): string {
  const tls = `{ ca_file: "${server.caFile}", server_name: "${server.name}" }`;
  return [
    'modules:',
    '  page:',
    '    prober: http',
    '    timeout: 30s',
    `    http: { preferred_ip_protocol: ip4, tls_config: ${tls} }`,
    '  handshake:',
    '    prober: tcp',
    '    timeout: 30s',
    `    tcp: { preferred_ip_protocol: ip4, tls: true, tls_config: ${tls} }`,
  ].join('\n');
}

/** Its handshake alone has no phases, its page has them all. */
function toTold({ target, phases }: ScrapeLine): NotificationState {
  const ms = (phase: string) => (phases[phase] === undefined ? null : phases[phase] * 1_000);
  return {
    localPort: null,
    address: /(\d+\.){3}\d+/.exec(target)?.[0] ?? null,
    connectMs: ms('connect'),
    tlsMs: ms('tls'),
    wireMs: ms('tls'),
    firstByteMs: ms('processing'),
    own: null,
  };
}
