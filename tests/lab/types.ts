import type { ChildProcess } from 'node:child_process';
import type { KeyKind } from '#demo/pki.ts';

/** One nginx port of the lab: what it serves, and how. */
export type Scenario = {
  /** Letters, digits, dots and hyphens; the key of `Lab.ports`. */
  name: string;
  /** TLS versions offered; default both. */
  tls?: '1.2' | '1.3';
  /** Bytes of the chain's DER, leaf and intermediate together; default 1,700, and as small as it gets for RSA. Reached within 5%. */
  chainBytes?: number;
  /** The leaf's key; the intermediate has an RSA key of 2,048 bits where it is RSA. Default `ec` (P-256). */
  key?: KeyKind;
  /** ssl_ciphers, which the server then orders; default nginx's own. */
  ciphers?: string;
  /** ssl_ecdh_curve: the groups that the server takes; default nginx's own. */
  groups?: string;
  /** ssl_buffer_size: the plaintext bytes of a full record; default nginx's own 16,384. */
  recordBytes?: number;
  /** Body of `GET /`; default 24,000. */
  bodyBytes?: number;
  /** Default false: HTTP/1.1 alone. */
  http2?: boolean;
  /** Session tickets (and the cache of TLS 1.2); default true. */
  tickets?: boolean;
  /** The cache of TLS 1.2; default as `tickets`. */
  sessionCache?: boolean;
  /** False leaves Nagle's algorithm on (`tcp_nodelay off`), also in the handshake; default true. */
  noDelay?: boolean;
  /** Staples a signed OCSP response that says `good`; default false. */
  staple?: boolean;
  /** Whether the certificate names an OCSP responder; default as `staple`, which needs it. */
  ocsp?: boolean;
};

export type LabOptions = {
  /** Round-trip time that the line adds (half each way), in ms; 0 forwards at once. */
  rttMs: number;
  scenarios: Scenario[];
  /** Initial congestion window of the server, in segments; default 10. */
  initcwnd?: number;
  /** CPUs (as taskset names them: `0`, `0-1`) that nginx and the delay line keep to; default any. */
  serverCpus?: string;
};

/**
 * A packet that the line loses, once. Counted on the connections that start after the rule was given, one connection
 * after the other in the order of their SYNs.
 */
export type DropRule =
  /** The first SYN of each of the next `connections` connections (default 1). */
  | { what: 'syn'; connections?: number }
  /** The nth segment with data (1 is the first) that the server sends on the next connection. */
  | { what: 'server-data'; nth: number };

/** A closed network of two namespaces, a line between them and an nginx. */
export type Lab = {
  /** Words that start a command in the prober's namespace, and in the server's. */
  inProber: string[];
  inServer: string[];
  /** The server's address as the prober reaches it, and the prober's own. */
  address: string;
  proberAddress: string;
  /** Port of each scenario, by its name. */
  ports: Record<string, number>;
  /** PEM file of the root that all chains lead to; `caPem` is its text. The leaves carry `address` and `lab.test`. */
  caFile: string;
  caPem: string;
  /** Scratch folder, removed by `close`; anybody may read it. */
  folder: string;
  /** Runs a command in the prober's namespace to its end. Rejects only where it cannot be started. */
  exec(command: string[], options?: { input?: string; env?: NodeJS.ProcessEnv }): Promise<Ended>;
  /** Starts a command in the prober's namespace; `close` kills it where it still runs. */
  spawn(command: string[], options?: { env?: NodeJS.ProcessEnv }): ChildProcess;
  /** Initial window of the connections that the server accepts from now on, in segments. */
  setInitcwnd(segments: number): Promise<void>;
  /** Round-trip time that the line adds from now on, in ms. */
  setRtt(ms: number): Promise<void>;
  /** Serves these scenarios instead of those before, on the same ports by their order: a deploy. Nothing is served meanwhile. */
  serve(scenarios: Scenario[]): Promise<void>;
  /** Loses packets by the rule, which replaces the one before; null forgets it. */
  drop(rule: DropRule | null): Promise<void>;
  /** Starts a DNS server behind the line that knows every name as the server's; gives its ADDRESS:PORT, as settings take it. */
  startDns(): Promise<string>;
  /** Captures packets in the prober's namespace from when the promise settles. */
  capture(): Promise<Capture>;
  /** Removes all that was made. May be called twice. Where this process dies before, a keeper does it. */
  close(): Promise<void>;
};

export type Ended = { status: number | null; stdout: string; stderr: string };

export type Capture = {
  /** Ends it; all packets that were stamped before the call are in the answer. */
  stop(): Promise<Captured>;
};

/** One nanosecond pcap (raw IP packets), and how many packets the kernel could not keep for us: 0, or the truth is none. */
export type Captured = { pcap: Buffer; missed: number };
