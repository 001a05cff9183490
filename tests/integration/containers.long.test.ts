import { globSync, mkdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { build } from '#cli/build.ts';
import { ROOT } from '#cli/dist.mjs';
import { type Container, type Group, readCompose, readManifests } from '../support/containers.ts';
import { Builder } from '../support/image.ts';
import { Machine, targetOf } from '../support/machine.ts';

// Everything that the Compose files and the Kubernetes manifests start, started: from trees that the Dockerfile's own steps made,
// with the files' commands, variables, users, volumes and health checks, and a real PostgreSQL.

const SECRET = 'a secret of the tests, and of them alone';
const PASSWORD = 'letters-and-digits';
const DATABASE = {
  name: 'database',
  env: { POSTGRES_USER: 'roundtrip', POSTGRES_DB: 'roundtrip', POSTGRES_PASSWORD: PASSWORD },
  command: null,
};
const PATIENT = { timeout: 600_000 };

let folder = '';
let builder: Builder;
let machine: Machine | null = null;
beforeAll(async () => {
  await build('program');
  await build('web application');
  mkdirSync(path.join(ROOT, 'test-results'), { recursive: true });
  // Beside what is linked into the trees; on the disk of its own that a folder for temporary files may be, all would be copied.
  folder = await mkdtemp(path.join(ROOT, 'test-results/images-'));
  builder = new Builder(folder);
}, 600_000);
afterEach(async () => {
  await machine?.stop();
  machine = null;
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }), 60_000);

const imageOf = (container: Container) => builder.image(targetOf(container));
const ours = ({ containers }: Group) => containers.filter((container) => targetOf(container) !== '');

/** Starts the containers in their order; resolves once those that end have ended well and the others are healthy. */
async function startAll(on: Machine, containers: Container[]): Promise<void> {
  const started = new Map<string, Promise<void>>();
  const start = (container: Container): Promise<void> => {
    const known = started.get(container.name) ?? startOne(container);
    started.set(container.name, known);
    return known;
  };
  const startOne = async (container: Container) => {
    await Promise.all(containers.filter(({ name }) => container.after.includes(name)).map(start));
    if (targetOf(container) !== '') await on.run(container, await imageOf(container));
    else if (Machine.isPostgres(container)) await on.runPostgres(container, container.name);
  };
  await Promise.all(containers.map(start));
}

describe('the images', PATIENT, () => {
  it('of the prober holds no code of the database', async () => {
    const { tree } = await builder.image('prober');
    const app = path.join(tree, 'app');
    const maps = globSync('dist/prober/*.map', { cwd: app });
    const sources = maps.flatMap(
      (file) =>
        z.object({ sources: z.array(z.string()) }).parse(JSON.parse(readFileSync(path.join(app, file), 'utf8')))
          .sources,
    );
    expect(sources.some((source) => source.endsWith('workers/prober/run.ts'))).toBe(true);
    expect(sources.filter((source) => /(^|\/)(server|prisma|app|node_modules\/pg)\//.test(source))).toEqual([]);
    expect(globSync('*', { cwd: app }).sort()).toEqual(['dist', 'node_modules']);
    const packages = globSync('node_modules/{*,@*/*}/package.json', { cwd: app });
    expect(packages.filter((file) => !/^node_modules\/(koffi|@koromix\/[\w-]+)\//.test(file))).toEqual([]);
  });
});

describe('Compose', PATIENT, () => {
  const env = { POSTGRES_PASSWORD: PASSWORD, ROUNDTRIP_SECRET: SECRET };
  const others = globSync('docker-compose.*.yml', { cwd: ROOT });

  it('starts every service of docker-compose.yml, each healthy or done', async () => {
    const group = readCompose(['docker-compose.yml'], env);
    expect(group.containers.length).toBeGreaterThan(0);
    machine = await Machine.start(path.join(folder, 'compose'), group);
    await startAll(machine, group.containers);
  });

  it.each(others)('starts of ours what %s adds to it or changes', async (file) => {
    const group = readCompose(['docker-compose.yml', file], env);
    // Of nodes of a cluster there is one here, which is as good for what is not the order of things.
    const known = readCompose(['docker-compose.yml'], env).containers.map((each) => startedBy(each));
    const changed = ours(group).filter((container) => !known.includes(startedBy(container)));
    if (changed.length === 0) return;
    machine = await Machine.start(path.join(folder, file), group);
    await startAll(machine, group.containers);
  });
});

/** All that matters for how a container runs. */
function startedBy({ after: _, ...container }: Container): string {
  return JSON.stringify(container);
}

describe('Kubernetes', PATIENT, () => {
  const files = globSync('kubernetes/*.yaml', { cwd: ROOT });

  it('starts every container of ours of every manifest, each ready or done', async () => {
    const secrets = {
      roundtrip: {
        'database-url': `postgresql://roundtrip:${PASSWORD}@database:5432/roundtrip`,
        secret: SECRET,
        'postgres-password': PASSWORD,
      },
      prober: { token: '' },
    };
    const group = readManifests(files, secrets);
    machine = await Machine.start(path.join(folder, 'kubernetes'), { ...group, hosts: [...group.hosts, 'database'] });
    await machine.runPostgres(DATABASE, 'database');
    const isServer = (container: Container) => targetOf(container) === 'server';
    expect(ours(group).map(targetOf).sort()).toEqual(expect.arrayContaining(['prober', 'server']));
    await startAll(machine, ours(group).filter(isServer));
    // As the head of the manifest says: the token is made in a running pod, and becomes a secret.
    const web = ours(group).find((container) => isServer(container) && !container.ends);
    if (!web) throw new Error('no manifest has a server that stays');
    const enrol = [
      'node',
      'cli/roundtrip.mjs',
      'enrol',
      '--name',
      'This cluster',
      '--region',
      'CN-GD',
      '--carrier',
      'telecom',
    ];
    secrets.prober.token = await machine.exec(web, await imageOf(web), enrol);
    await startAll(
      machine,
      ours(readManifests(files, secrets)).filter((container) => !isServer(container)),
    );
  });
});
