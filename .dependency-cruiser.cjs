// Who may import whom (docs: CONTRIBUTING.md, "The folders"). A folder that is not named in a rule's `may` is forbidden.

const ours = [
  'analysis',
  'app',
  'cli',
  'components',
  'contract',
  'demo',
  'docker',
  'i18n',
  'lab',
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
    ...['certificate', 'kernel', 'wire', ...Object.keys(probeRooms)].map(probeRoom),
    only('contract', []),
    only('analysis', ['contract']),
    only('probe', ['contract']),
    only('server', ['contract', 'analysis']),
    only('i18n', ['contract']),
    only('components', ['contract', 'i18n']),
    only('app', ['server', 'components', 'contract', 'i18n']),
    only('workers/prober', ['contract', 'probe']),
    only('workers/jobs', ['contract', 'analysis', 'server']),
    only('demo', ['analysis', 'contract', 'probe', 'workers/prober']),
    only('lab', ['contract', 'demo', 'probe']),
    only('docker', ['server', 'workers/prober']),
    only('scripts', []),
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
    exclude: { path: '^(prisma/generated|\\.next)' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['node', 'import', 'require', 'types', 'default'],
    },
  },
};
