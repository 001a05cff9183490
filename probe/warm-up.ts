import type { ProbeSettings } from '#contract/target.ts';
import { hostsFileAddresses } from './hosts-file.ts';
import { systemClock } from './interfaces.ts';
import { secureContextOf } from './secure-context.ts';
import { Tap } from './tap.ts';
import { startTls } from './tls-line.ts';

const ROUNDS = 3;

/**
 * Reads the roots and makes a few ClientHellos that go nowhere, so that the first probe of a process doesn't pay for
 * it in its phases. Throws where the settings' roots are no PEM.
 */
export async function warmUp(settings: ProbeSettings): Promise<void> {
  const context = secureContextOf(settings);
  hostsFileAddresses('localhost');
  for (let round = 0; round < ROUNDS; round += 1) {
    const tap = new Tap(systemClock);
    const line = startTls(tap, systemClock, context, 'warm-up.invalid', settings, undefined);
    await new Promise((settle) => setImmediate(settle));
    line.socket.destroy();
    tap.destroy();
  }
}
