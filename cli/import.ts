import { buffer } from 'node:stream/consumers';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ImportedMeasurement } from '#contract/import.ts';
import { type Server, withServer } from './ask-server.ts';
import { readAlibaba } from './import/alibaba.ts';
import { columnMap, readCsv } from './import/csv.ts';
import { utf8Of } from './import/encoding.ts';
import { readGlobalping } from './import/globalping.ts';
import { offsetMinutes } from './import/instant.ts';
import type { ReadFile } from './import/measurements.ts';
import { type Sent, sendMeasurements } from './import/send.ts';
import { readBytes } from './probe/files.ts';
import { StartError } from './start-error.ts';

/** Most places and most unread rows that are listed. */
const MOST_LISTED = 50;

type Format = 'csv' | 'globalping' | 'alibaba';
const SOURCES: Record<Format, string> = { csv: 'CSV', globalping: 'Globalping', alibaba: 'Alibaba Cloud' };
type Typed = Server & {
  target: string;
  format: Format;
  map?: string;
  /** Minutes. */
  offset?: number;
  source?: string;
  anyHost?: boolean;
  dryRun?: boolean;
};

const NOTES = `
What another monitor measured becomes history of a target: charts show it beside what probers measure; the detector, alert rules,
advice and comparisons do not look at it. The same file again stores nothing again. Older than results are kept
(ROUNDTRIP_RETENTION_RAW_DAYS): counted, not stored.

Columns of a CSV are named by --map; a column that has the name of its field needs none. Fields: at (RFC 3339, 2026/1/5 8:05, or seconds or
milliseconds since 1970), region and carrier (CN-GD, 广东, Guangdong; telecom, 电信), country, city, asn, access, ok, reason, httpStatus, and dnsMs,
connectMs, tlsMs, firstByteMs, downloadMs, totalMs with :s or :us for other units than milliseconds. Cells are parted by commas,
semicolons or tabs; the file is UTF-8, or GB18030 as Excel saves it in China.

Examples:
  roundtrip import log.csv --target shop --format csv --map at=time,region=province,carrier=isp,tlsMs=ssl_ms,totalMs=total:s --offset +08:00
  curl https://api.globalping.io/v1/measurements/ID | roundtrip import - --target shop --format globalping --dry-run
`;

/** `roundtrip import`: what another monitor measured, as history of a target of a server. */
export function importCommand(program: Command): void {
  withServer(program.command('import'))
    .description('take over what another monitor measured, as history of a target')
    .argument('<file>', 'the file, - for standard input', (path) => (path === '-' ? null : readBytes(path)))
    .requiredOption('--target <target>', 'name or id of the target')
    .addOption(
      new Option('--format <format>', 'CSV, JSON of Globalping, or of DescribeSiteMonitorLog of Alibaba Cloud')
        .choices(Object.keys(SOURCES))
        .makeOptionMandatory(),
    )
    .option('--map <fields>', 'columns of a CSV by their fields: at=time,region=province,tlsMs=ssl_time:s')
    .option('--offset <offset>', 'of times of a CSV that have none, such as +08:00', offsetOf)
    .option('--source <name>', 'what the other monitor is called (default: by the format)')
    .option('--any-host', 'take over also what Globalping measured of another host than the target’s')
    .option('--dry-run', 'only print what would be imported')
    .addHelpText('after', NOTES)
    .action(async (file: Buffer | null, typed: Typed) => {
      // What is slow to come cannot be waited for in an argument.
      const read = readAs(file ?? (await buffer(process.stdin)), typed);
      const [notes, left] = [read.notes.map((note) => `${note}\n`).join(''), leftText(read)];
      if (typed.dryRun) process.stdout.write(`${notes}${summaryOf(read.measurements)}${left}`);
      else {
        const sent = await sendMeasurements(read, { ...typed, source: typed.source ?? SOURCES[typed.format] });
        process.stdout.write(`${notes}${sentText(sent)}${left}`);
        if (sent.error) throw sent.error;
        if (read.measurements.length === 0 && left) throw new StartError('Nothing of the file could be taken over.');
      }
    });
}

function offsetOf(text: string): number {
  const minutes = offsetMinutes(text);
  if (minutes === null) throw new InvalidArgumentError('It must be one from -12:00 to +14:00, such as +08:00.');
  return minutes;
}

/** What a file holds. Throws StartError for a file that is not of the format. */
export function readAs(file: Buffer, { format, map, offset }: Pick<Typed, 'format' | 'map' | 'offset'>): ReadFile {
  const { text, note } = utf8Of(file);
  const read = format === 'csv' ? readCsv(text, columnMap(map), offset ?? null) : readJson(text, format, map);
  if (note !== null) read.notes.push(note);
  return read;
}

function readJson(text: Buffer, format: Exclude<Format, 'csv'>, map: string | undefined): ReadFile {
  if (map !== undefined) throw new StartError('--map is for CSV alone.');
  let json: unknown;
  try {
    json = JSON.parse(text.toString());
  } catch (error) {
    throw new StartError(`The file is no JSON: ${(error as Error).message}.`);
  }
  return format === 'globalping' ? readGlobalping(json) : readAlibaba(json);
}

/** How many there are of each place, from when until when. */
export function summaryOf(measurements: readonly ImportedMeasurement[]): string {
  if (measurements.length === 0) return 'Nothing to import.\n';
  const places = Map.groupBy(measurements, ({ region, city, carrier, asn }) =>
    [region, city, carrier, asn ? `AS${asn}` : null].filter(Boolean).join(' '),
  );
  const most = [...places].toSorted(([, a], [, b]) => b.length - a.length);
  const instants = measurements.map(({ at }) => Date.parse(at));
  const [first, last] = [Math.min, Math.max].map((of) => new Date(instants.reduce((a, b) => of(a, b))).toISOString());
  const failed = measurements.filter(({ ok }) => !ok).length;
  return [
    `${measurements.length} measurements of ${places.size} places, ${failed} failed, from ${first} to ${last}`,
    ...most.slice(0, MOST_LISTED).map(([place, own]) => `  ${String(own.length).padStart(6)}  ${place}`),
    ...(most.length > MOST_LISTED ? [`  and ${most.length - MOST_LISTED} places more`] : []),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

/** What could not be read, a line each; empty where all was. */
function leftText({ left }: ReadFile): string {
  if (left.length === 0) return '';
  const lines = left.slice(0, MOST_LISTED).map(({ place, reason }) => `  ${place}: ${reason}`);
  const more = left.length > MOST_LISTED ? [`  and ${left.length - MOST_LISTED} more`] : [];
  return [`Not taken over (${left.length}):`, ...lines, ...more].map((line) => `${line}\n`).join('');
}

/** What became of what was sent. */
const sentText = ({ stored, already, tooOld }: Sent) =>
  `${stored} stored, ${already} stored before, ${tooOld} older than results are kept\n`;
