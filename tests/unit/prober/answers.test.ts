import { expect, it } from 'vitest';
import { IngestClient } from '#workers/prober/client.ts';
import { AnswerSender } from '#workers/prober/measurements.ts';

it('answers of measurements wait for the server up to 16 MiB; one that has no room is dropped with a warning', () => {
  const warnings: string[] = [];
  const say = () => {};
  const logger = { debug: say, info: say, warn: (message: string) => void warnings.push(message), error: say };
  const client = new IngestClient({ server: 'https://server.invalid', signal: new AbortController().signal });
  const sender = new AnswerSender({ client, credential: 'none', logger });
  const line = 'x'.repeat(1024 * 1024);
  for (let n = 0; n < 16; n += 1) sender.add({ measurementId: 'one', line });
  expect(warnings).toEqual([]);
  sender.add({ measurementId: 'other', line });
  expect(warnings).toEqual([expect.stringMatching(/^an answer of a measurement is dropped: 16777216 bytes/)]);
});
