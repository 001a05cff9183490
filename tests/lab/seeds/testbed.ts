import type { Result } from '#contract/result.ts';
import type { ProbeSettings } from '#contract/target.ts';
import { run } from '../commands.ts';
import { openLab } from '../lab.ts';
import { privilege } from '../namespaces.ts';
import { findNginx } from '../nginx.ts';
import { startProber } from '../probing.ts';
import type { Scenario } from '../types.ts';

/** Host under which the servers of the experiments are known. */
export const SEED_HOST = 'lab.test';

/** Where experiments are done: a server that can be set as they want, and a prober as far away as they want. */
export type Testbed = {
  /** What it is, as a sentence for the reader of the figures. */
  sentence: string;
  /** Words that start a command beside the server, and the folder of its files. */
  beside: { enter: readonly string[]; folder: string };
  /** PEM of the root that the servers' chains lead to. */
  caPem: string;
  /** The server's address, as it is reached from beside it and by the prober. */
  address: string;
  /** Configures the server for these scenarios; gives the port of each. */
  serve(scenarios: Scenario[]): Promise<Record<string, number>>;
  setRtt(ms: number): Promise<void>;
  /** The server's initial congestion window, in segments; 10 where it is not set. */
  setInitcwnd(segments: number): Promise<void>;
  /** Probes a port: the main Result first, then those that the settings ask for. Takes a disturbed one again. */
  probe(port: number, settings?: Partial<ProbeSettings>): Promise<Result[]>;
  close(): Promise<void>;
};

/** A probe that was disturbed is taken again so often at most. */
const MOST_TRIES = 2;
/** What may disturb a probe before it is taken again: so much (ms), or so much of a round trip where that is more. */
const DISTURBED_MS = 4;
const DISTURBED_SHARE = 0.03;

/** Whether the machine was at rest enough for this Result to be judged, and no packet was lost. */
function isUsable({ ok, prober, network, marks }: Result, rttMs: number): boolean {
  const bound = Math.max(DISTURBED_MS, DISTURBED_SHARE * rttMs);
  const lateRequest = (marks.pretransfer ?? 0) - (marks.appconnect ?? 0) > bound;
  return ok && !network.retransmits && !lateRequest && (prober.clean || (prober.lateMs ?? bound) < bound);
}

/** The lab. The prober has a DNS server behind the line: looking a name up costs a round trip as well. */
export async function labTestbed(): Promise<Testbed> {
  const lab = await openLab({ rttMs: 0, scenarios: [{ name: 'none' }] });
  try {
    const resolver = await lab.startDns();
    const prober = await startProber(lab);
    const version = await run([findNginx() ?? 'nginx', '-v']);
    const nginx = /nginx\/[\d.]+/.exec(version.stderr)?.[0]?.replace('/', ' ') ?? 'nginx';
    let rttMs = 0;
    const probe: Testbed['probe'] = async (port, settings) => {
      const order = { url: `https://${SEED_HOST}:${port}/`, settings: { caPem: lab.caPem, resolver, ...settings } };
      for (let tries = 1; ; tries += 1) {
        const results = await prober.sequence(order);
        if (results.every((result) => isUsable(result, rttMs)) || tries === MOST_TRIES) return results;
      }
    };
    return {
      sentence: `${nginx} and the kernel's TCP over a packet delay line, in network namespaces made ${privilege}.`,
      beside: { enter: lab.inServer, folder: lab.folder },
      caPem: lab.caPem,
      address: lab.address,
      serve: async (scenarios) => {
        await lab.serve(scenarios);
        return { ...lab.ports };
      },
      setRtt: (ms) => {
        rttMs = ms;
        return lab.setRtt(ms);
      },
      setInitcwnd: (segments) => lab.setInitcwnd(segments),
      probe,
      close: () => lab.close(),
    };
  } catch (error) {
    await lab.close();
    throw error;
  }
}
