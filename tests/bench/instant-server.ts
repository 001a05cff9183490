// The server of `npm run bench -- prober`, run beside the prober in its namespace: `instant-server.ts SERVER-AS-JSON`. It prints its
// address as soon as it listens, hands out measurements with each line of standard input, and prints the scheduled Results
// at its end.
import { createInterface } from 'node:readline';
import { v7 } from 'uuid';
import { ProbeSettings } from '#contract/target.ts';
import { IngestServer } from '../support/ingest-server.ts';
import { TEST_VANTAGE } from '../support/tls-target.ts';

const { address, port, name, caPem, checks, periodSeconds, vantages } = JSON.parse(process.argv[2] ?? '{}');
const settings = ProbeSettings.parse({ caPem, sni: name });
const common = { vantage: TEST_VANTAGE, demo: false, timeoutMs: 5_000, settings, allowPrivate: true };
const url = `https://${address}:${port}/`;

const server = new IngestServer(TEST_VANTAGE);
await server.open();
for (let n = 0; n < checks; n++) server.put({ ...common, id: v7(), targetId: v7(), url, periodSeconds });
console.log(JSON.stringify({ url: server.url, token: server.token }));

for await (const count of createInterface(process.stdin))
  for (let measurement = 0; measurement < Number(count); measurement++) {
    const measurementId = v7();
    server.hand(Array.from({ length: vantages }, () => ({ ...common, measurementId, url })));
  }
for (const result of server.results.values()) console.log(JSON.stringify(result));
console.log(JSON.stringify({ instant: server.answered }));
if (server.faults.length > 0) console.error(server.faults.slice(0, 3), server.polls.length, server.batches.length);
process.stdout.write('', () => process.exit());
