import type { Load, TruthLab } from '../truth-types.ts';

/** No target is probed twice within a run: the next round would begin after this. */
const ROUND_MS = 600_000;

/** The interval by which its scheduler spreads a list when all are due at once: it takes a tenth of the interval. */
const QUEUED_ROUND_MS = 10_000;

/** Its configuration, and how long it takes until the last probe has started. */
export function settingsOf(lab: TruthLab, load: Load): { text: string; spreadMs: number } {
  const { intervalMs, gapMs, spreadMs } = paceOf(lab, load);
  const text = [
    'host: "127.0.0.1"',
    'disable_jitter: true',
    `sysvars_interval_msec: ${ROUND_MS}`,
    'surfacer { type: FILE }',
    'probe {',
    `  name: "truth" type: ${load.http ? 'HTTP' : 'TCP'} latency_unit: "us"`,
    `  interval_msec: ${intervalMs} timeout_msec: ${Math.min(intervalMs - 1, 30_000)}`,
    `  stats_export_interval_msec: ${intervalMs}`,
    `  targets { host_names: "${lab.addresses(load.count).join(',')}" }`,
    `  ${load.http ? page(lab, gapMs) : handshake(lab, gapMs)}`,
    '}',
  ].join('\n');
  return { text, spreadMs };
}

/** Its gaps between targets are whole milliseconds, or a tenth of the interval over their number: 0 asks for that. */
function paceOf({ rttMs }: TruthLab, { count, rate, concurrency }: Load) {
  if (rate !== null) {
    return { intervalMs: Math.round((count * 10_000) / rate), gapMs: 0, spreadMs: (count * 1_000) / rate };
  }
  if (concurrency >= count) return { intervalMs: QUEUED_ROUND_MS, gapMs: 0, spreadMs: QUEUED_ROUND_MS / 10 };
  // One after the other: connect, handshake, page, and some room, shared by as many as may be in flight.
  const gapMs = Math.ceil((4 * rttMs + 15) / concurrency);
  return { intervalMs: ROUND_MS, gapMs, spreadMs: count * gapMs };
}

function page({ server }: TruthLab, gapMs: number): string {
  const { port, path } = server;
  return `http_probe { scheme: HTTPS port: ${port} relative_url: "${path}" latency_breakdown: ALL_STAGES ${common(server, gapMs)} }`;
}

function handshake({ server }: TruthLab, gapMs: number): string {
  return `tcp_probe { port: ${server.port} tls_handshake: true ${common(server, gapMs)} }`;
}

function common({ name, caFile }: TruthLab['server'], gapMs: number): string {
  return `interval_between_targets_msec: ${gapMs} tls_config { ca_cert_file: "${caFile}" server_name: "${name}" }`;
}
