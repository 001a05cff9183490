/**
 * The prober as a process of its own: `node workers/prober/main.ts --server URL [--token TOKEN] [--data DIR] [--threads N]
 * [--allow-private CIDR ...] [--insecure-server]`.
 */
import { parseArgs } from 'node:util';
import { runProber } from './run.ts';
import { proberSettings } from './settings.ts';

const { values } = parseArgs({
  options: {
    server: { type: 'string' },
    token: { type: 'string' },
    data: { type: 'string' },
    threads: { type: 'string' },
    'allow-private': { type: 'string', multiple: true },
    'insecure-server': { type: 'boolean' },
  },
});
const given = { ...values, allowPrivate: values['allow-private'], insecureServer: values['insecure-server'] };
const settings = proberSettings(given, process.env);
if (typeof settings === 'string') {
  process.stderr.write(`roundtrip: ${settings}\n`);
  process.exit(2);
}
process.exit(await runProber(settings));
