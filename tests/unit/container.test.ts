import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { type Copy, copiesOf, readStages, type Stage, textsOf } from '../support/dockerfile.ts';
import { reach } from '../support/imports.ts';

const execute = promisify(execFile);
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

function keptPackages(name: string): string[] {
  const [run = ''] = textsOf(stageOf(name), 'RUN');
  return (/keep-packages\.mjs ([^&]*)/.exec(run)?.[1] ?? '').trim().split(' ');
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
    expect(textsOf(stage, 'HEALTHCHECK')).toEqual([expect.stringMatching(/CMD \[".*"\]$/)]);
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

  it('gives the image server every file and package that it loads', () => {
    const { files, packages } = reach(root, [
      ...['cli/main.ts', 'docker/jobs-health.ts', 'docker/web-health.ts'],
      ...['prisma.config.ts', 'prisma/schema-engine/bridge.mjs'],
    ]);
    const copies = copiesOf(stageOf('server'));
    expect([...files].filter((file) => !carries(copies, file))).toEqual([]);
    const kept = keptPackages('server-packages');
    expect([...packages].filter((each) => !kept.includes(each))).toEqual([]);
    expect(kept.filter((each) => !Object.hasOwn(manifest.dependencies, each))).toEqual([]);
  });

  it('gives the image of the prober bundles that run with nothing beside them, and no database code', async () => {
    const copied = copiesOf(stageOf('prober')).flatMap(({ from, sources }) => (from === null ? sources : []));
    expect(copied).toEqual(['package.json']);
    expect(textsOf(stageOf('prober-built'), 'RUN')).toEqual([expect.stringMatching(/cli\/bundle-main\.ts --prober$/)]);
    const [, run = ''] = /"node", "(.+)"/.exec(textsOf(stageOf('prober'), 'ENTRYPOINT')[0] ?? '') ?? [];
    const [, check = ''] = /"node", "(.+)"/.exec(textsOf(stageOf('prober'), 'HEALTHCHECK')[0] ?? '') ?? [];
    // Below the checkout, since that is where packages are looked for while it is bundled.
    const made = await mkdtemp(path.join(root, '.next-test-'));
    const image = await mkdtemp(path.join(tmpdir(), 'roundtrip-image-'));
    try {
      const dist = path.relative(root, path.join(made, '.next'));
      const env = { ...process.env, NEXT_DIST_DIR: dist };
      await execute(process.execPath, ['cli/bundle-main.ts', '--prober'], { cwd: root, env });
      await cp(path.join(made, '.next-bundles-prober'), path.join(image, '.next-bundles-prober'), { recursive: true });
      await cp(path.join(root, 'package.json'), path.join(image, 'package.json'));
      for (const name of keptPackages('prober-packages'))
        await cp(path.join(root, 'node_modules', name), path.join(image, 'node_modules', name), { recursive: true });
      const maps = (await readdir(path.join(image, '.next-bundles-prober'))).filter((file) => file.endsWith('.map'));
      const sources = maps.flatMap((file) => {
        const text = readFileSync(path.join(image, '.next-bundles-prober', file), 'utf8');
        return z.object({ sources: z.array(z.string()) }).parse(JSON.parse(text)).sources;
      });
      expect(sources.some((source) => source.endsWith('workers/prober/run.ts'))).toBe(true);
      expect(sources.filter((source) => /(^|\/)(server|prisma|app|node_modules\/pg)\//.test(source))).toEqual([]);
      const clean = {
        NODE_ENV: 'production' as const,
        PATH: process.env.PATH,
        ROUNDTRIP_DATA: path.join(image, 'data'),
      };
      const started = execute(process.execPath, [run], { cwd: image, env: clean });
      await expect(started).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('ROUNDTRIP_SERVER') });
      await expect(execute(process.execPath, [check], { cwd: image, env: clean })).rejects.toMatchObject({ code: 1 });
    } finally {
      await rm(made, { recursive: true });
      await rm(image, { recursive: true });
    }
  }, 120_000);
});

describe('.dockerignore', () => {
  it('shuts everything out and lets in what exists, never a secret or a data folder', () => {
    expect(ignored.find((line) => line !== '' && !line.startsWith('#'))).toBe('*');
    const allowed = ignored.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    for (const entry of allowed) expect(existsSync(path.join(root, entry)), entry).toBe(true);
    for (const never of ['.git', '.roundtrip', '.env', 'node_modules', '.next']) expect(allowed).not.toContain(never);
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
  healthcheck: z.object({ test: z.array(z.string()).optional(), disable: z.boolean().optional() }),
  networks: z.array(z.string()),
  read_only: z.boolean().default(false),
  cap_drop: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
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

  it('checks the health of everything that stays', () => {
    for (const { restart, healthcheck } of Object.values(services)) {
      expect(restart ? healthcheck.test?.length : healthcheck.disable).toBeTruthy();
      const file = healthcheck.test?.find((word) => word.startsWith('docker/'));
      if (file) expect(existsSync(path.join(root, file)), file).toBe(true);
    }
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
    const readers = ['server/environment/environment.ts', 'contract/retention.ts', 'workers/prober/settings.ts'];
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
