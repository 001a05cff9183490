import type { Command } from 'commander';

const NOTES = `
Reads a header line and then rows grouped by series; inside a series they are sorted by time where they are not in its order:
  timestamp,target,province,carrier,dns_ms,connect_ms,tls_ms,ttfb_ms,ok
Columns after these are left out.
Writes one detection a line, in the order in which they are raised:
  {"target":...,"province":...,"carrier":...,"kind":"spike","at":...,"cause":"network","incident":...,"change_at":...}
"page":false marks a note in the series' log, no page: of one of many series alone, or too small.
"slower_before":0.15,"slower_after":0.46 are on a lasting change of a series of two modes, such as resumed and full handshakes:
the shares of its samples in the slower one. Pages that turn out to be one, and causes that change:
  {"kind":"merge","at":...,"incident":...,"into":...}
  {"kind":"cause","at":...,"incident":...,"cause":"tls"}
A row takes 21 bytes of memory: 2.2 GB hold 10,000 series of a week, one probe a minute.

Examples:
  roundtrip detect --in samples.csv --out detections.jsonl
  zcat samples.csv.gz | roundtrip detect --in - --out -
`;

/** `roundtrip detect`: the detectors, run over a file. Exit status 2 for a file that cannot be read, with line and column. */
export function detectCommand(program: Command): void {
  const command = program
    .command('detect')
    .description('find spikes, regressions and improvements in a file of samples, as they would be found live')
    .requiredOption('--in <file>', 'samples (CSV); - reads standard input')
    .option('--out <file>', 'detections (a JSON object a line); - writes standard output', '-')
    .addHelpText('after', NOTES)
    .action(async (options: { in: string; out: string }) => {
      const { detectFile } = await import('./detect/run.ts');
      const { SampleFileError } = await import('./detect/read-samples.ts');
      try {
        process.stderr.write(await detectFile(options.in, options.out));
      } catch (error) {
        if (error instanceof SampleFileError) command.error(`error: ${error.message}`);
        throw error;
      }
    });
}
