import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };

// docker-compose.citus.yml and kubernetes/citus.yaml, as far as they can be checked without an engine.

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

describe('docker-compose.citus.yml', () => {
  const override = { tag: '!override', resolve: (value: unknown) => value, collection: 'seq' } as never;
  const { services } = z
    .object({ services: z.record(z.string(), z.record(z.string(), z.unknown())) })
    .parse(parse(read('docker-compose.citus.yml'), { merge: true, customTags: [override] }));

  it('has a coordinator, two workers, two web and two jobs, and what they need is in the other file', () => {
    const base = parse(read('docker-compose.yml'), { merge: true }) as { services: Record<string, unknown> };
    const added = Object.keys(services).filter((name) => !(name in base.services));
    expect(added.sort()).toEqual(['cluster', 'worker-1', 'worker-2']);
    for (const name of ['web', 'jobs']) expect(services[name]).toMatchObject({ deploy: { replicas: 2 } });
  });

  it('gives each node the extension, room for commits in two phases, and a volume of its own', () => {
    const nodes = ['postgres', 'worker-1', 'worker-2'].map((name) => services[name]);
    for (const node of nodes) {
      expect(node?.image).toMatch(/citusdata\/citus:1[34]/);
      expect(node?.command).toContain('shared_preload_libraries=citus');
      expect(node?.command).toContain('max_prepared_transactions=300');
    }
    expect(new Set(nodes.map((node) => String(node?.volumes))).size).toBe(3);
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

const Container = z.object({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()).default([]),
  env: z.array(z.object({ name: z.string() })).default([]),
  livenessProbe: z.object({ exec: z.object({ command: z.array(z.string()) }).optional() }).optional(),
});
const Manifest = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.object({ name: z.string() }),
  spec: z
    .object({
      replicas: z.number().optional(),
      template: z
        .object({
          metadata: z.object({ labels: z.record(z.string(), z.string()) }),
          spec: z.object({ containers: z.array(Container), initContainers: z.array(Container).default([]) }),
        })
        .optional(),
    })
    .optional(),
});

describe('kubernetes/citus.yaml', () => {
  const documents = parseAllDocuments(read('kubernetes/citus.yaml')).map((each) => Manifest.parse(each.toJS()));
  const named = (kind: string, name: string) =>
    Manifest.parse(documents.find((each) => each.kind === kind && each.metadata.name === name));
  const containersOf = ({ spec }: z.infer<typeof Manifest>) => [
    ...(spec?.template?.spec.initContainers ?? []),
    ...(spec?.template?.spec.containers ?? []),
  ];
  const ours = documents.flatMap(containersOf).filter(({ image }) => image.startsWith('roundtrip-'));

  it('has a coordinator, two workers, two web, two jobs, and a job that migrates', () => {
    expect(named('StatefulSet', 'coordinator').spec?.replicas).toBe(1);
    expect(named('StatefulSet', 'worker').spec?.replicas).toBe(2);
    for (const name of ['web', 'jobs']) expect(named('Deployment', name).spec?.replicas).toBe(2);
    expect(containersOf(named('Job', 'migrate')).map(({ name }) => name)).toEqual(['cluster', 'migrate', 'setup']);
  });

  it('runs our image of this version, by commands that there are, and pins the others', () => {
    for (const { image, args } of ours) {
      expect(image).toBe(`roundtrip-server:${manifest.version}`);
      expect(existsSync(path.join(root, `cli/${args[0]}.ts`)), args[0]).toBe(true);
    }
    for (const { image } of documents.flatMap(containersOf)) expect(image).toMatch(/:(?!latest)[a-z0-9.-]+$/);
  });

  it('sets only variables that something reads, and every process has the database', () => {
    const known = read('server/environment/environment.ts');
    for (const { env } of ours) {
      const names = env.map(({ name }) => name);
      expect(names).toContain('DATABASE_URL');
      // Kubernetes puts it into the address.
      for (const name of names.filter((each) => each !== 'PGPASSWORD')) expect(known).toContain(name);
    }
  });

  it('probes what answers: paths of the server, files of the image', () => {
    const text = read('kubernetes/citus.yaml');
    for (const [, probed] of text.matchAll(/path: (\/api\/\w+)/g))
      expect(existsSync(path.join(root, `app${probed}/route.ts`)), probed).toBe(true);
    for (const { livenessProbe } of ours)
      for (const word of livenessProbe?.exec?.command.filter((each) => each.startsWith('docker/')) ?? [])
        expect(existsSync(path.join(root, word)), word).toBe(true);
  });
});
