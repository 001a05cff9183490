import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { type Copy, copiesOf, readStages, type Stage, textsOf } from '../support/dockerfile.ts';
import { reach } from '../support/imports.ts';

// What the Dockerfile, the Compose files and the manifests say. That what they start runs: tests/integration/containers.long.test.ts.

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

const stages = readStages(read('Dockerfile'));
const ignored = read('.dockerignore').split('\n');

function stageOf(name: string): Stage {
  const stage = stages.find((each) => each.name === name);
  if (!stage) throw new Error(`the Dockerfile has no stage ${name}`);
  return stage;
}

/** Whether an image gets this file of the checkout, from the build context or from the build. */
function carries(copies: Copy[], file: string): boolean {
  return copies
    .filter((copy) => copy.from === null || copy.from === 'built')
    .flatMap((copy) => copy.sources.map((source) => source.replace(/^\/app\//, '')))
    .some((source) => file === source || file.startsWith(`${source}/`));
}

describe('the Dockerfile', () => {
  it('starts every stage from a pinned tag or from a stage before it', () => {
    const known = new Set<string>();
    for (const { name, from } of stages) {
      if (!known.has(from)) expect(from).toMatch(/^[a-z/]+:(?!latest)[a-z0-9.]+[a-z0-9.-]*$/);
      known.add(name);
    }
  });

  it('copies only what is in the repository and let in by .dockerignore, or comes from a stage', () => {
    for (const { from, sources } of stages.flatMap(copiesOf)) {
      if (from !== null) {
        expect(stages.map((stage) => stage.name)).toContain(from);
        continue;
      }
      for (const source of sources.filter((each) => each !== '.')) {
        expect(existsSync(path.join(root, source)), source).toBe(true);
        expect(ignored, source).toContain(`!${source.split('/')[0]}`);
      }
    }
  });

  it.each(['server', 'prober'])('runs the image %s as a numbered user, with a health check, in exec form', (name) => {
    const stage = stageOf(name);
    const names = stage.instructions.map((each) => each.name);
    expect(textsOf(stage, 'USER')).toEqual([expect.stringMatching(/^[1-9]\d+:[1-9]\d+$/)]);
    expect(names.indexOf('USER')).toBeLessThan(names.indexOf('ENTRYPOINT'));
    expect(names.lastIndexOf('COPY')).toBeLessThan(names.indexOf('USER'));
    expect(textsOf(stage, 'HEALTHCHECK')).toEqual([expect.stringMatching(/--start-interval=\d+s .*CMD \[".*"\]$/)]);
    for (const command of [...textsOf(stage, 'ENTRYPOINT'), ...textsOf(stage, 'CMD')]) {
      expect(Array.isArray(JSON.parse(command))).toBe(true);
    }
  });

  it('holds no secret and adds nothing by URL', () => {
    const instructions = stages.flatMap((stage) => stage.instructions);
    expect(instructions.map((each) => each.name)).not.toContain('ADD');
    for (const { text } of instructions.filter((each) => ['ENV', 'ARG'].includes(each.name))) {
      expect(text).not.toMatch(/SECRET|PASSWORD|TOKEN|DATABASE_URL/);
    }
  });

  it('gives the image server what runs before the bundles', () => {
    const { files, packages } = reach(root, ['cli/roundtrip.mjs']);
    expect([...files]).toContain('cli/dist.mjs');
    const copies = copiesOf(stageOf('server'));
    expect([...files].filter((file) => !carries(copies, file))).toEqual([]);
    expect([...packages]).toEqual([]);
  });
});

describe('.dockerignore', () => {
  it('shuts everything out and lets in what exists, never a secret or a data folder', () => {
    expect(ignored.find((line) => line !== '' && !line.startsWith('#'))).toBe('*');
    const allowed = ignored.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    for (const entry of allowed) expect(existsSync(path.join(root, entry)), entry).toBe(true);
    for (const never of ['.git', '.roundtrip', '.env', 'node_modules', '.next', 'dist'])
      expect(allowed).not.toContain(never);
    expect(ignored).toContain('**/.env*');
  });
});

const Dependencies = z.record(z.string(), z.object({ condition: z.string() }));
const Service = z.object({
  image: z.string(),
  build: z.object({ target: z.string() }).optional(),
  restart: z.string().optional(),
  environment: z.record(z.string(), z.string().nullable()).default({}),
  depends_on: Dependencies.default({}),
  networks: z.array(z.string()),
  read_only: z.boolean().default(false),
  cap_drop: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  mem_limit: z.string(),
  logging: z.object({
    driver: z.literal('json-file'),
    options: z.object({ 'max-size': z.literal('10m'), 'max-file': z.literal('3') }),
  }),
});
const text = read('docker-compose.yml');
const { services } = z.object({ services: z.record(z.string(), Service) }).parse(parse(text, { merge: true }));
const ours = Object.entries(services).filter(([, service]) => service.build);
const named = (name: string) => Service.parse(services[name]);

describe('docker-compose.yml', () => {
  it('has a database, a migration that ends, a set-up that ends, web, jobs and a prober', () => {
    expect(Object.keys(services).sort()).toEqual(['jobs', 'migrate', 'postgres', 'prober', 'setup', 'web']);
    for (const once of ['migrate', 'setup']) expect(named(once).restart).toBeUndefined();
    for (const stays of ['postgres', 'web', 'jobs', 'prober']) expect(named(stays).restart).toBe('unless-stopped');
  });

  it('limits the memory of each service to what fits into 8 GB with all others', () => {
    const megabytes = Object.values(services).map(({ mem_limit }) => {
      const [, number, unit] = /^(\d+)([mg])$/.exec(mem_limit) ?? [];
      return Number(number) * (unit === 'g' ? 1_024 : 1);
    });
    expect(Math.min(...megabytes)).toBeGreaterThanOrEqual(256);
    expect(megabytes.reduce((sum, each) => sum + each)).toBeLessThan(8_192);
  });

  it('starts web and jobs after the migration, and waits for conditions that can come true', () => {
    expect(named('setup').depends_on).toMatchObject({ migrate: { condition: 'service_completed_successfully' } });
    expect(named('jobs').depends_on).toMatchObject({ migrate: { condition: 'service_completed_successfully' } });
    expect(named('web').depends_on).toMatchObject({ setup: { condition: 'service_completed_successfully' } });
    for (const { depends_on } of Object.values(services)) {
      for (const [name, { condition }] of Object.entries(depends_on)) {
        expect(condition).toBe(named(name).restart ? 'service_healthy' : 'service_completed_successfully');
      }
    }
  });

  it('refuses to start without the secret and the password of the database', () => {
    expect(text).toMatch(/\$\{ROUNDTRIP_SECRET:\?[^}]{20,}\}/);
    expect(text).toMatch(/\$\{POSTGRES_PASSWORD:\?[^}]{20,}\}/);
    expect(text).not.toMatch(/\$\{(ROUNDTRIP_SECRET|POSTGRES_PASSWORD):?-/);
  });

  it('pins every image', () => {
    for (const { image } of Object.values(services)) expect(image).toMatch(/^[a-z-]+:(?!latest)[a-z0-9.-]+$/);
    for (const [, { image }] of ours) expect(image.endsWith(`:${manifest.version}`), image).toBe(true);
    expect(named('postgres').image).toMatch(/^postgres:18\./);
  });

  it('sets only variables that something reads', () => {
    const readers = [
      'server/environment/environment.ts',
      'contract/retention.ts',
      'workers/prober/settings.ts',
      'workers/prober/server-address.ts',
    ];
    const known = [...readers, 'cli/this-location.ts'].map(read).join('\n');
    for (const [, { environment }] of ours) {
      for (const name of Object.keys(environment)) expect(known, name).toMatch(new RegExp(`\\b${name}\\b`));
    }
  });

  it('gives our containers no capabilities and nothing to write but their data', () => {
    for (const [, { read_only, cap_drop }] of ours)
      expect({ read_only, cap_drop }).toEqual({ read_only: true, cap_drop: ['ALL'] });
  });

  it('keeps the prober away from the database, and the ports on this machine', () => {
    expect(named('prober').networks).not.toContain('database');
    expect(Object.keys(named('prober').environment)).not.toContain('DATABASE_URL');
    expect(named('postgres').ports).toEqual([]);
    expect(named('web').ports).toEqual([expect.stringContaining(':-127.0.0.1:3000}')]);
  });

  it('builds targets that the Dockerfile has', () => {
    for (const [, { build }] of ours) expect(stages.map((stage) => stage.name)).toContain(build?.target);
  });
});

describe('docker-compose.citus.yml', () => {
  const override = { tag: '!override', resolve: (value: unknown) => value, collection: 'seq' } as never;
  const { services } = z
    .object({ services: z.record(z.string(), z.record(z.string(), z.unknown())) })
    .parse(parse(read('docker-compose.citus.yml'), { merge: true, customTags: [override] }));

  it('gives each node the extension, room for commits in two phases, and a volume of its own', () => {
    const nodes = ['postgres', 'worker-1', 'worker-2'].map((name) => services[name]);
    for (const node of nodes) {
      expect(node?.image).toMatch(/citusdata\/citus:1[34]/);
      expect(node?.command).toContain('shared_preload_libraries=citus');
      expect(node?.command).toContain('max_prepared_transactions=300');
    }
    expect(new Set(nodes.map((node) => String(node?.volumes))).size).toBe(3);
    for (const name of ['web', 'jobs']) expect(services[name]).toMatchObject({ deploy: { replicas: 2 } });
  });

  it('limits logs and memory of what it adds', () => {
    for (const name of ['worker-1', 'worker-2', 'cluster'])
      expect(services[name]).toMatchObject({ logging: named('web').logging, mem_limit: expect.any(String) });
  });

  it('migrates once the workers are known', () => {
    expect(services.migrate).toMatchObject({
      depends_on: { cluster: { condition: 'service_completed_successfully' } },
    });
    const [, , script] = z.array(z.string()).parse(services.cluster?.entrypoint);
    for (const worker of ['worker-1', 'worker-2']) expect(script).toContain(worker);
    expect(script).toContain('citus_set_coordinator_host');
  });
});

const PodContainer = z.object({
  image: z.string(),
  env: z.array(z.object({ name: z.string() })).default([]),
  securityContext: z.unknown().optional(),
  resources: z.object({ limits: z.object({ memory: z.string() }), requests: z.object({ memory: z.string() }) }),
});
const Pod = z.object({
  automountServiceAccountToken: z.literal(false),
  securityContext: z.unknown().optional(),
  containers: z.array(PodContainer),
  initContainers: z.array(PodContainer).default([]),
});
const Manifest = z.object({
  kind: z.string(),
  metadata: z.object({ name: z.string() }),
  data: z.record(z.string(), z.string()).optional(),
  spec: z
    .object({
      replicas: z.number().optional(),
      template: z.object({ metadata: z.object({ labels: z.object({ app: z.string() }) }), spec: Pod }).optional(),
      podSelector: z.unknown().optional(),
    })
    .optional(),
});

describe('kubernetes/', () => {
  const files = globSync('kubernetes/*.yaml', { cwd: root });
  const documents = files.flatMap((file) => parseAllDocuments(read(file)).map((each) => Manifest.parse(each.toJS())));
  const pods = documents.flatMap(({ spec }) => (spec?.template ? [spec.template] : []));
  const containers = pods.flatMap(({ spec }) => [...spec.initContainers, ...spec.containers]);
  const replicasOf = (name: string) =>
    documents.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name)?.spec?.replicas;

  it('has one web, one jobs and one prober, and a database beside them', () => {
    expect(['web', 'jobs', 'prober'].map(replicasOf)).toEqual([1, 1, 1]);
    const sets = documents.filter(({ kind }) => kind === 'StatefulSet');
    expect(sets.map(({ metadata, spec }) => [metadata.name, spec?.replicas])).toEqual([
      ['coordinator', 1],
      ['worker', 2],
    ]);
  });

  it('runs our images of this version and pins the others, each with a limit of memory', () => {
    for (const { image } of containers) {
      if (image.startsWith('roundtrip-')) expect(image.split(':')[1]).toBe(manifest.version);
      else expect(image).toMatch(/:(?!latest)[a-z0-9.-]+$/);
    }
  });

  it('gives our containers no root, no capabilities, and nothing to write but what is mounted', () => {
    for (const { spec } of pods.filter(({ spec: pod }) =>
      pod.containers.some(({ image }) => image.startsWith('roundtrip-')),
    )) {
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10001 });
      for (const { securityContext } of [...spec.initContainers, ...spec.containers])
        expect(securityContext).toEqual({
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
        });
    }
  });

  it('sets only variables that something reads, and trusts no pod as a proxy', () => {
    const known = [
      'server/environment/environment.ts',
      'workers/prober/settings.ts',
      'workers/prober/server-address.ts',
    ]
      .map(read)
      .join('\n');
    const settings = documents
      .flatMap(({ data }) => Object.entries(data ?? {}))
      .filter(([name]) => !name.includes('.'));
    const names = containers
      .filter(({ image }) => image.startsWith('roundtrip-'))
      .flatMap(({ env }) => env.map(({ name }) => name));
    for (const name of [...names, ...settings.map(([name]) => name)])
      expect(known).toMatch(new RegExp(`\\b${name}\\b`));
    expect(Object.fromEntries(settings)).toMatchObject({ ROUNDTRIP_TRUSTED_PROXIES: 'none' });
    expect(names).not.toContain('ROUNDTRIP_TRUSTED_PROXIES');
  });

  it('has a policy of the network for every pod that stays', () => {
    const policies = JSON.stringify(
      documents.filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => spec?.podSelector),
    );
    for (const { metadata } of pods.filter(({ metadata: { labels } }) => labels.app !== 'cluster'))
      expect(policies).toContain(`"${metadata.labels.app}"`);
  });
});
