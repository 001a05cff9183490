import { constants } from 'node:crypto';
import type { TlsOptions } from 'node:tls';
import type { Site } from './places.ts';

/** An origin of the demo before it runs: what its server is and where it pretends to stand. */
export type Profile = {
  key: string;
  name: string;
  host: string;
  site: Site;
  kind: 'ec' | 'rsa';
  bloatBytes: number;
  http2: boolean;
  /** Largest TLS record that it sends; null: 16 kB, as Node does, which no initial window holds. */
  recordBytes: number | null;
  tls: TlsOptions;
  /** Whether its checks offer sessions to it as well. */
  resume: boolean;
  /** Days from now of thisUpdate and nextUpdate; null staples nothing. */
  staple: { from: number; to: number } | null;
};

/** The three faults, or their absence, that the demo shows. Every leaf names an OCSP responder. */
export const PROFILES: readonly Profile[] = [
  {
    key: 'good',
    name: 'shop',
    host: 'good.demo.roundtrip.test',
    site: { region: 'CN-BJ', carrier: 'unicom' },
    kind: 'ec',
    bloatBytes: 0,
    http2: true,
    recordBytes: 4_096,
    tls: { minVersion: 'TLSv1.3' },
    resume: true,
    staple: { from: -1, to: 6 },
  },
  {
    key: 'legacy',
    name: 'legacy',
    host: 'legacy.demo.roundtrip.test',
    site: { region: 'CN-GD', carrier: 'telecom' },
    kind: 'rsa',
    bloatBytes: 15_500,
    http2: false,
    recordBytes: null,
    tls: {
      maxVersion: 'TLSv1.2',
      ciphers: 'ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES256-GCM-SHA384',
      secureOptions: constants.SSL_OP_NO_TICKET,
    },
    resume: false,
    staple: null,
  },
  {
    key: 'stale',
    name: 'api',
    host: 'stale.demo.roundtrip.test',
    site: { region: 'CN-SH', carrier: 'telecom' },
    kind: 'ec',
    bloatBytes: 0,
    http2: true,
    recordBytes: null,
    tls: { minVersion: 'TLSv1.3' },
    resume: false,
    staple: { from: -10, to: -3 },
  },
];
