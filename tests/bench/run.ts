// `npm run bench -- NAME`: prints figures and asserts nothing.
const BENCHES: Record<string, () => Promise<unknown>> = {
  api: () => import('./api.ts').then(({ benchApi }) => benchApi(process.argv.slice(3))),
  'catch-up': () => import('./catch-up.ts').then(({ benchCatchUp }) => benchCatchUp(process.argv.slice(3))),
  citus: () => import('./citus.ts').then(({ benchCitus }) => benchCitus(process.argv.slice(3))),
  detect: () => import('./detect.ts').then(({ benchDetect }) => benchDetect(process.argv.slice(3))),
  figures: () => import('./figures.ts').then(({ benchFigures }) => benchFigures()),
  'first-light': () => import('./first-light.ts').then(({ benchFirstLight }) => benchFirstLight(process.argv.slice(3))),
  fleet: () => import('./fleet.ts').then(({ benchFleet }) => benchFleet(process.argv.slice(3))),
  'lab-figures': () => import('./lab-figures.ts').then(({ benchLabFigures }) => benchLabFigures(process.argv.slice(3))),
  'lab-causes': () => import('./lab-causes.ts').then(({ benchLabCauses }) => benchLabCauses(process.argv.slice(3))),
  ingest: () => import('./ingest.ts').then(({ benchIngest }) => benchIngest(process.argv.slice(3))),
  matrix: () => import('./matrix.ts').then(({ benchMatrix }) => benchMatrix()),
  measurements: () => import('./measurements.ts').then(({ benchMeasurements }) => benchMeasurements()),
  pages: () => import('./pages.ts').then(({ benchPages }) => benchPages()),
  prober: () => import('./beside-instant.ts').then(({ benchBesideInstant }) => benchBesideInstant()),
  readers: () => import('./readers.ts').then(({ benchReaders }) => benchReaders()),
  sensitivity: () =>
    import('./detect/sensitivity.ts').then(({ benchSensitivity }) => benchSensitivity(process.argv.slice(3))),
  small: () => import('./small.ts').then(({ benchSmall }) => benchSmall(process.argv.slice(3))),
  spool: () => import('./spool.ts').then(({ benchSpool }) => benchSpool()),
  sealed: () => import('./sealed.ts').then(({ benchSealed }) => benchSealed(process.argv.slice(3))),
  storage: () => import('./storage.ts').then(({ benchStorage }) => benchStorage(process.argv.slice(3))),
  stalls: () => import('./stalls.ts').then(({ benchStalls }) => benchStalls(process.argv.slice(3))),
  steady: () => import('./steady.ts').then(({ benchSteady }) => benchSteady(process.argv.slice(3))),
  'what-if': () => import('./what-if.ts').then(({ benchWhatIf }) => benchWhatIf(process.argv.slice(3))),
  truth: () => import('./truth.ts').then(({ benchTruth }) => benchTruth(process.argv.slice(3))),
};

const wanted = process.argv[2] ?? '';
const bench = Object.hasOwn(BENCHES, wanted) ? BENCHES[wanted] : undefined;
if (bench) await bench();
else {
  process.stderr.write(`Give the name of a bench: ${Object.keys(BENCHES).join(', ')}.\n`);
  process.exitCode = 2;
}

export {};
