/** How a tool is to probe. */
export type Load = {
  count: number;
  /** starts a second, evenly; null starts a probe as soon as there is a place for it */
  rate: number | null;
  /** probes in flight at most */
  concurrency: number;
  /** false ends a probe with the handshake */
  http: boolean;
};

/** What a tool says of one probe, in milliseconds; null is what it doesn't say. Its connection is told by port or address. */
export type NotificationState = {
  localPort: number | null;
  address: string | null;
  connectMs: number | null;
  /** the phase as the tool publishes it */
  tlsMs: number | null;
  /** the handshake on the wire where the tool tells it apart, else its TLS phase */
  wireMs: number | null;
  firstByteMs: number | null;
  own: Own | null;
};

/** What Roundtrip alone says. */
export type Own = {
  clean: boolean;
  loopDelayMs: number;
  kernelRttMs: number | null;
  firstPacketMs: number | null;
  firstUsableMs: number | null;
};

/** What the packets say of one connection, in milliseconds, as the prober's namespace sees them. */
export type Seen = {
  localPort: number;
  address: string;
  /** on the capture's clock */
  synAt: number;
  endAt: number;
  connectMs: number;
  /** null where the handshake did not end */
  tls: { fromSynAckMs: number; fromHelloMs: number } | null;
  /** null without an answer */
  answer: { firstPacketMs: number; firstUsableMs: number } | null;
};

export type Cpu = { userMs: number; systemMs: number };

/** Most memory that the tool's process held, in KiB, and most connections that were in flight at once. */
export type Peak = { hwmKb: number; rssKb: number; open: number };

export type Run = { told: NotificationState[]; failed: number; cpu: Cpu; peak: Peak };

/** What the tools need of the lab. */
export type TruthLab = {
  /** Words that lead a command into the prober's namespace. */
  inProber: string[];
  rttMs: number;
  server: { name: string; address: string; port: number; path: string; caFile: string };
  /** So many addresses, all the server's: a probe that tells no local port is found by its own. */
  addresses: (count: number) => string[];
  capture: () => Promise<{ stop: () => Promise<Seen[]> }>;
  close: () => Promise<void>;
};

/** A prober in the race. `run` gives a sentence where the tool cannot do such a load. */
export type Tool = {
  name: string;
  version: string;
  run: (lab: TruthLab, load: Load) => Promise<Run | string>;
};
