// Who may import whom (printed into CONTRIBUTING.md, "The folders", by `npm run docs`). A folder that is not named in a rule's `may` is forbidden.

const ours = [
  'analysis',
  'app',
  'cli',
  'client',
  'components',
  'contract',
  'demo',
  'docker',
  'i18n',
  'probe',
  'scripts',
  'server',
  'tests',
  'workers',
];

/** A rule: files in `folder` import, of our own folders, only those in `may` (and their own). */
const only = (folder, may) => ({
  name: `${folder.replace('/', '-')}-imports`,
  comment: `${folder} may import ${may.join(', ') || 'none of our other folders'}`,
  severity: 'error',
  from: { path: `^${folder}/` },
  to: { path: `^(${ours.join('|')})/`, pathNot: [folder, ...may].map((allowed) => `^${allowed}/`) },
});

/** Rooms of analysis/detection and the rooms that each may import; all may import the files in `OPEN_TO_ALL`. */
const detectionRooms = {
  history: [],
  baseline: ['history'],
  monitor: ['history', 'baseline'],
  causes: ['history'],
  series: ['history', 'baseline', 'monitor', 'causes'],
  spikes: ['monitor', 'causes', 'series'],
  shifts: ['history', 'baseline', 'monitor', 'causes', 'series'],
};
const OPEN_TO_ALL = '(detection|parameters|sample|statistics)\\.ts$';
const detectionRules = [
  ...Object.entries(detectionRooms).map(([room, may]) => ({
    name: `detection-${room}-imports`,
    comment: `analysis/detection/${room} may import ${may.join(', ') || 'no other room'} and ${OPEN_TO_ALL}`,
    severity: 'error',
    from: { path: `^analysis/detection/${room}/` },
    to: {
      path: '^analysis/detection/',
      pathNot: [
        ...[room, ...may].map((allowed) => `^analysis/detection/${allowed}/`),
        `^analysis/detection/${OPEN_TO_ALL}`,
      ],
    },
  })),
  {
    name: 'detection-rooms-are-inside',
    comment: 'others, its own unit tests apart, use detector.ts, state.ts and what all rooms may use',
    severity: 'error',
    from: { pathNot: '^(tests/unit/)?analysis/detection/' },
    to: { path: '^analysis/detection/[^/]+/' },
  },
];

/**
 * The rooms of server/, from the ground up: each may import those named beside it, and its own files. The arrows make no
 * circle. `npm run docs` prints them into docs/architecture.md.
 */
const ROOMS = {
  environment: [],
  database: ['environment'],
  access: ['database', 'environment'],
  targets: ['access', 'database', 'environment'],
  vantages: ['access', 'database', 'environment', 'targets'],
  blocks: ['database', 'environment'],
  rollups: ['blocks', 'database'],
  detection: ['blocks', 'database', 'rollups', 'vantages'],
  results: ['access', 'blocks', 'database', 'detection', 'environment', 'rollups', 'targets', 'vantages'],
  figures: ['access', 'blocks', 'database', 'detection', 'environment', 'results', 'rollups', 'targets', 'vantages'],
  advice: ['database', 'environment', 'figures', 'results', 'targets', 'vantages'],
  monitoring: [
    'access',
    'advice',
    'blocks',
    'database',
    'detection',
    'environment',
    'figures',
    'rollups',
    'vantages',
    'webhooks',
  ],
  http: ['access', 'database', 'environment', 'monitoring', 'vantages', 'webhooks'],
  ingest: ['blocks', 'database', 'environment', 'monitoring', 'results', 'targets', 'vantages'],
  imports: ['database', 'environment', 'ingest', 'results', 'vantages'],
  measurements: ['access', 'database', 'environment', 'http', 'ingest', 'targets', 'vantages'],
  webhooks: ['access', 'database', 'environment'],
  incidents: [
    'blocks',
    'database',
    'detection',
    'environment',
    'figures',
    'results',
    'rollups',
    'vantages',
    'webhooks',
  ],
  events: ['database', 'environment', 'http', 'incidents', 'rollups'],
  comparisons: ['access', 'database', 'environment', 'results', 'rollups', 'webhooks'],
  markers: ['access', 'comparisons', 'database', 'environment', 'incidents', 'results'],
  rules: ['blocks', 'database', 'environment', 'http', 'incidents', 'results', 'rollups', 'vantages', 'webhooks'],
  configuration: ['database', 'environment', 'incidents', 'rules', 'targets', 'webhooks'],
  pipeline: ['database', 'detection', 'environment', 'incidents', 'monitoring', 'rules', 'vantages'],
  demo: ['comparisons', 'database', 'detection', 'incidents', 'results', 'rollups', 'rules', 'targets', 'vantages'],
  api: [
    'access',
    'advice',
    'comparisons',
    'configuration',
    'database',
    'demo',
    'environment',
    'events',
    'figures',
    'http',
    'imports',
    'incidents',
    'ingest',
    'markers',
    'measurements',
    'monitoring',
    'results',
    'rules',
    'targets',
    'vantages',
    'webhooks',
  ],
};

const wall = ([room, may]) => ({
  name: `server-${room}-imports`,
  comment: `server/${room} may import the rooms ${may.join(', ') || '(none)'}`,
  severity: 'error',
  from: { path: `^server/${room}/` },
  to: { path: '^server/', pathNot: [room, ...may].map((allowed) => `^server/${allowed}/`) },
});

/** The rooms of probe/, and which of the others each may import; those that no line names import none. */
const probeRooms = {
  load: ['kernel'],
  network: ['kernel'],
  tls: ['certificate', 'kernel', 'load', 'wire'],
  http: ['tls'],
  phases: ['certificate', 'http', 'kernel', 'load', 'network', 'tls'],
  'round-trips': ['wire'],
  findings: ['round-trips'],
  result: ['certificate', 'findings', 'http', 'kernel', 'phases', 'round-trips', 'tls', 'wire'],
};
const probeRoom = (room) => ({
  name: `probe-${room}-imports`,
  comment: `probe/${room} may import ${(probeRooms[room] ?? []).join(', ') || 'no other room'}, and the files beside the rooms that drive no probe`,
  severity: 'error',
  from: { path: `^probe/${room}/` },
  to: {
    path: '^probe/([^/]+/|(measure|sequence|warm-up)\\.ts)',
    pathNot: [room, ...(probeRooms[room] ?? [])].map((allowed) => `^probe/${allowed}/`),
  },
});

module.exports = {
  forbidden: [
    ...detectionRules,
    ...['certificate', 'kernel', 'wire', ...Object.keys(probeRooms)].map(probeRoom),
    only('contract', []),
    only('analysis', ['contract']),
    only('probe', ['contract']),
    only('server', ['contract', 'analysis', 'i18n']),
    only('i18n', ['contract']),
    only('components', ['contract', 'i18n']),
    only('app', ['server', 'components', 'contract', 'i18n']),
    only('workers/prober', ['contract', 'probe']),
    only('workers/jobs', ['contract', 'analysis', 'server']),
    only('demo', ['analysis', 'contract', 'probe', 'workers/prober']),
    only('docker', ['server', 'workers/prober']),
    only('scripts', ['contract', 'server']),
    only('client', []),
    {
      name: 'client-for-others-alone',
      comment: 'who is inside calls the rooms',
      severity: 'error',
      from: { pathNot: '^(client|tests)/' },
      to: { path: '^client/' },
    },
    ...Object.entries(ROOMS).map(wall),
    {
      name: 'server-has-rooms-alone',
      comment: 'a file of server/ lies in a room, and a room is named in ROOMS above',
      severity: 'error',
      from: {},
      to: { path: '^server/', pathNot: Object.keys(ROOMS).map((room) => `^server/${room}/`) },
    },
    {
      name: 'api-for-http-alone',
      comment: 'who is inside calls the rooms; the table of the API is for those who ask over HTTP',
      severity: 'error',
      from: { pathNot: '^(instrumentation\\.ts|(server|tests)/)' },
      to: { path: '^server/api/' },
    },
    {
      name: 'contract-takes-zod-and-addresses-alone',
      comment: 'ipaddr.js reads addresses and does nothing else',
      severity: 'error',
      from: { path: '^contract/' },
      to: { dependencyTypes: ['npm', 'npm-dev', 'core'], pathNot: '^node_modules/(zod|ipaddr\\.js)/' },
    },
    {
      name: 'database-in-server-alone',
      comment:
        'PostgreSQL is reached through server/; the supervisor and the Prisma bridge look after the server itself',
      severity: 'error',
      from: { path: '^(analysis|app|components|contract|demo|docker|i18n|probe|scripts|workers)/' },
      to: { path: '^node_modules/(pg|pg-copy-streams|@prisma)/|^prisma/generated/' },
    },
    {
      name: 'nothing-imports-tests',
      severity: 'error',
      from: { pathNot: '^tests/' },
      to: { path: '^tests/' },
    },
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true, pathNot: '\\.css$' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(prisma/generated|dist/|\\.next)' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['node', 'import', 'require', 'types', 'default'],
    },
  },
};
