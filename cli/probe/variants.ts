import type { Result } from '#contract/result.ts';
import { milliseconds, ms, plural, row } from './layout.ts';
import { harmless, type Paint } from './paint.ts';

/** Where the notes of the table begin. */
const NOTE_COLUMN = 45;

/** The handshakes of one sequence under one another, each with what it differs in from the main one. */
export function variantLines(main: Result, others: Result[], paint: Paint): string[] {
  if (others.length === 0) return [];
  const title = `  ${''.padEnd(11)}${['tcp', 'tls', 'wire'].map((name) => name.padStart(10)).join('')}`;
  return [
    '',
    title,
    line(main, main.tls?.resumed ? 'resumed' : 'full', sizeOf(main)),
    ...others.flatMap((other) => [
      line(other, other.variant ?? 'main', noteOf(other, main, paint)),
      ...other.findings
        .filter(({ code }) => !main.findings.some((known) => known.code === code))
        .map(({ severity, code, evidence }) => row('', paint.yellow(`${severity} ${code}: ${harmless(evidence)}.`))),
    ]),
  ];
}

function line({ phases, tls }: Result, label: string, note: string): string {
  const times = [phases.tcp, phases.tls, tls?.handshake.wireMs ?? null].map(milliseconds).join('');
  return row(`${label.padEnd(11)}${times}`, note, NOTE_COLUMN);
}

function noteOf(result: Result, main: Result, paint: Paint): string {
  const unclean = result.prober.clean ? '' : paint.yellow(' (this machine was busy)');
  if (result.failure) return paint.red(`FAILED: ${result.failure.reason}`) + unclean;
  if (result.variant === 'resumed') return (result.tls?.resumed ? saved(result, main) : 'not resumed') + unclean;
  return sizeOf(result) + unclean;
}

/** What resumption spares a user who comes back. */
function saved(resumed: Result, full: Result): string {
  const [before, after] = [full.phases.tls, resumed.phases.tls];
  const time = before === null || after === null ? [] : [timeSaved(before - after)];
  const [more, fewer] = [full.tls?.handshake, resumed.tls?.handshake];
  const trips = (more?.roundTrips ?? 0) - (fewer?.roundTrips ?? 0);
  const bytes = (more?.bytesIn ?? 0) - (fewer?.bytesIn ?? 0);
  return [...time, ...(trips > 0 ? [plural(trips, 'round trip')] : []), ...(bytes > 0 ? [`${bytes} bytes`] : [])].join(
    ', ',
  );
}

function timeSaved(spared: number): string {
  return spared >= 0 ? `saves ${ms(spared)}` : `takes ${ms(-spared)} longer`;
}

function sizeOf({ tls }: Result): string {
  if (!tls) return '';
  const { certificate, handshake } = tls;
  const key = certificate ? [`${certificate.keyType} ${certificate.keyBits ?? ''}`.trim()] : [];
  return harmless([...key, `${handshake.bytesIn} bytes in`].join(', '));
}
