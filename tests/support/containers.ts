import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { ROOT } from '#cli/dist.mjs';

// What Compose files and Kubernetes manifests start, in one form: nothing here knows a service by its name.

/**
 * What is mounted: a volume that others share (`group`: the one of a pod's files, null: none, left out: where engines copy the image's
 * folder), an empty folder, or the files of a secret or a configuration.
 */
export type Mount = { volume: string; group?: number | null } | 'scratch' | { files: Record<string, string> };

/** A container as its file describes it; null where the image's own counts. */
export type Container = {
  name: string;
  image: string;
  entrypoint: string[] | null;
  command: string[] | null;
  env: Record<string, string>;
  user: string | null;
  readOnly: boolean;
  mounts: Record<string, Mount>;
  /** Commands and requests that must succeed; null: the image's HEALTHCHECK. */
  health: (string[] | { port: number; path: string })[] | null;
  /** Whether it does its work and ends. */
  ends: boolean;
  /** Containers that must have ended, or be healthy, before. */
  after: string[];
};

/** A group of containers that reach each other: the names of what they reach, and ports of services that lead to others. */
export type Group = {
  containers: Container[];
  hosts: string[];
  forwards: { host: string; port: number; to: number }[];
};

const Words = z.union([z.string().transform((text) => ['sh', '-c', text]), z.array(z.string())]);
const Test = z
  .array(z.string())
  .transform(([kind, ...words]) => (kind === 'CMD-SHELL' ? ['sh', '-c', ...words] : words));
const Service = z.object({
  image: z.string(),
  entrypoint: Words.nullish(),
  command: Words.nullish(),
  environment: z.record(z.string(), z.union([z.string(), z.number()]).nullable()).default({}),
  user: z.string().nullish(),
  read_only: z.boolean().default(false),
  volumes: z.array(z.string()).default([]),
  tmpfs: z.array(z.string()).default([]),
  healthcheck: z.object({ test: Test.optional(), disable: z.boolean().optional() }).optional(),
  restart: z.string().optional(),
  depends_on: z.record(z.string(), z.unknown()).default({}),
});

/** Compose files, the later ones over the first, with the variables of `.env`. */
export function readCompose(files: string[], env: Record<string, string>): Group {
  const override = { tag: '!override', collection: 'seq', resolve: (value: unknown) => value } as never;
  const [merged] = [files.map((file) => parse(textOf(file), { merge: true, customTags: [override] }).services)].map(
    (all) => all.reduce((base, over) => mergeMaps(base, over, 1)),
  );
  const services = z.record(z.string(), Service).parse(interpolate(merged, env));
  const containers = Object.entries(services).map(([name, service]): Container => {
    const { healthcheck, entrypoint = null, command = null, user = null } = service;
    const values = Object.entries(service.environment).map(([key, value]) => [key, value ?? env[key]] as const);
    return {
      ...{ name, image: service.image, entrypoint, command, user, readOnly: service.read_only },
      env: Object.fromEntries(values.flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]))),
      mounts: Object.fromEntries([
        ...service.tmpfs.map((target) => [target, 'scratch'] as const),
        ...service.volumes
          .map((text) => text.split(':'))
          .map(([volume = '', target = '']) => [target, { volume }] as const),
      ]),
      health: healthcheck?.disable ? [] : healthcheck?.test ? [healthcheck.test] : null,
      ends: service.restart === undefined,
      after: Object.keys(service.depends_on),
    };
  });
  return { containers, hosts: Object.keys(services), forwards: [] };
}

/** As Compose merges: maps key by key, down to the environment and such of a service; all else is replaced. */
function mergeMaps(base: unknown, over: unknown, depth: number): unknown {
  const isMap = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isMap(base) || !isMap(over) || depth > 3) return over;
  const merged = { ...(base as Record<string, unknown>) };
  for (const [key, value] of Object.entries(over as Record<string, unknown>)) {
    merged[key] = key in merged ? mergeMaps(merged[key], value, depth + 1) : value;
  }
  return merged;
}

/** `${NAME}`, `${NAME:-default}`, `${NAME:?message}` and `$$`, as Compose reads them. */
function interpolate(value: unknown, env: Record<string, string>): unknown {
  if (Array.isArray(value)) return value.map((each) => interpolate(each, env));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, interpolate(each, env)]));
  if (typeof value !== 'string') return value;
  return value.replace(/\$\$|\$\{(\w+)(?::(-|\?)([^}]*))?\}/g, (all, name?: string, kind?: string, rest = '') => {
    if (all === '$$' || name === undefined) return '$';
    const given = env[name];
    if (given) return given;
    if (kind === '?') throw new Error(`${name}: ${rest}`);
    return kind === '-' ? rest : '';
  });
}

const Ref = z.object({ name: z.string(), key: z.string() });
const Exec = z.object({ command: z.array(z.string()) });
const Probe = z.object({
  exec: Exec.optional(),
  httpGet: z.object({ path: z.string(), port: z.union([z.string(), z.number()]) }).optional(),
});
const PodContainer = z.object({
  name: z.string(),
  image: z.string(),
  command: z.array(z.string()).optional(),
  args: z.array(z.string()).optional(),
  env: z
    .array(
      z.object({
        name: z.string(),
        value: z.string().optional(),
        valueFrom: z.object({ secretKeyRef: Ref.optional(), configMapKeyRef: Ref.optional() }).optional(),
      }),
    )
    .default([]),
  envFrom: z.array(z.object({ configMapRef: z.object({ name: z.string() }) })).default([]),
  ports: z.array(z.object({ name: z.string().optional(), containerPort: z.number() })).default([]),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })).default([]),
  livenessProbe: Probe.optional(),
  readinessProbe: Probe.optional(),
  startupProbe: Probe.optional(),
  securityContext: z
    .object({ readOnlyRootFilesystem: z.boolean().default(false), runAsUser: z.number().optional() })
    .default({ readOnlyRootFilesystem: false }),
});
const Volume = z.object({
  name: z.string(),
  emptyDir: z.unknown().optional(),
  configMap: z.object({ name: z.string() }).optional(),
  secret: z.object({ secretName: z.string() }).optional(),
  persistentVolumeClaim: z.object({ claimName: z.string() }).optional(),
});
const Document = z.object({
  kind: z.string(),
  metadata: z.object({ name: z.string() }),
  data: z.record(z.string(), z.string()).default({}),
  spec: z
    .object({
      replicas: z.number().default(1),
      serviceName: z.string().optional(),
      ports: z
        .array(z.object({ port: z.number(), targetPort: z.union([z.string(), z.number()]).optional() }))
        .default([]),
      template: z
        .object({
          spec: z.object({
            securityContext: z.object({ runAsUser: z.number().optional(), fsGroup: z.number().optional() }).default({}),
            initContainers: z.array(PodContainer).default([]),
            containers: z.array(PodContainer),
            volumes: z.array(Volume).default([]),
          }),
        })
        .optional(),
    })
    .optional(),
});
type Document = z.infer<typeof Document>;
type Files = Record<string, Record<string, string>>;

/** All that the manifests start, jobs before the rest; `secrets` by name and key. */
export function readManifests(files: string[], secrets: Files): Group {
  const documents = files.flatMap((file) => parseAllDocuments(textOf(file)).map((each) => Document.parse(each.toJS())));
  const configMaps: Files = Object.fromEntries(
    documents.filter(({ kind }) => kind === 'ConfigMap').map(({ metadata, data }) => [metadata.name, data]),
  );
  const pods = documents.filter(({ spec }) => spec?.template);
  const jobs = pods.filter(({ kind }) => kind === 'Job').flatMap((pod) => containersOf(pod, configMaps, secrets));
  const others = pods.filter(({ kind }) => kind !== 'Job').flatMap((pod) => containersOf(pod, configMaps, secrets));
  const ended = jobs.map(({ name }) => name);
  const ports = new Map(
    pods
      .flatMap(({ spec }) => spec?.template?.spec.containers ?? [])
      .flatMap((each) => each.ports)
      .map((port) => [port.name, port.containerPort]),
  );
  const services = documents.filter(({ kind }) => kind === 'Service');
  return {
    containers: [...jobs, ...others.map((each) => ({ ...each, after: [...each.after, ...ended] }))],
    hosts: [
      ...services.map(({ metadata }) => metadata.name),
      ...pods.flatMap(({ metadata, spec }) =>
        Array.from(
          { length: spec?.serviceName ? spec.replicas : 0 },
          (_, n) => `${metadata.name}-${n}.${spec?.serviceName}`,
        ),
      ),
    ],
    forwards: services.flatMap(({ metadata, spec }) =>
      (spec?.ports ?? []).flatMap(({ port, targetPort = port }) => {
        const to = typeof targetPort === 'string' ? (ports.get(targetPort) ?? 0) : targetPort;
        return to === port ? [] : [{ host: metadata.name, port, to }];
      }),
    ),
  };
}

function containersOf({ kind, metadata, spec }: Document, configMaps: Files, secrets: Files): Container[] {
  const pod = spec?.template?.spec;
  if (!pod) return [];
  const inOrder = [...pod.initContainers, ...(kind === 'Job' ? pod.containers : [])];
  return [...pod.initContainers, ...pod.containers].map((container): Container => {
    const env: Record<string, string> = {};
    for (const { configMapRef } of container.envFrom) Object.assign(env, configMaps[configMapRef.name]);
    for (const { name, value, valueFrom } of container.env) {
      const { secretKeyRef: secret, configMapKeyRef: setting } = valueFrom ?? {};
      const given = secret
        ? secrets[secret.name]?.[secret.key]
        : setting
          ? configMaps[setting.name]?.[setting.key]
          : value;
      if (given !== undefined) env[name] = given.replace(/\$\((\w+)\)/g, (_, other: string) => env[other] ?? '');
    }
    const volumeOf = (name: string): Mount => {
      const volume = pod.volumes.find((each) => each.name === name);
      if (volume?.emptyDir !== undefined) return 'scratch';
      const files = volume?.secret
        ? (secrets[volume.secret.secretName] ?? {})
        : configMaps[volume?.configMap?.name ?? ''];
      if (files) return { files };
      const group = pod.securityContext.fsGroup ?? null;
      return { volume: volume?.persistentVolumeClaim?.claimName ?? `${metadata.name}-${name}`, group };
    };
    const user = container.securityContext.runAsUser ?? pod.securityContext.runAsUser;
    const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
    const portOf = (port: string | number) =>
      typeof port === 'number' ? port : (container.ports.find(({ name }) => name === port)?.containerPort ?? 0);
    const before = inOrder.slice(0, Math.max(0, inOrder.indexOf(container)));
    return {
      name: `${metadata.name}/${container.name}`,
      image: container.image,
      entrypoint: container.command ?? null,
      command: container.args ?? null,
      env,
      user: user === undefined ? null : `${user}:${user}`,
      readOnly: container.securityContext.readOnlyRootFilesystem,
      mounts: Object.fromEntries(container.volumeMounts.map(({ name, mountPath }) => [mountPath, volumeOf(name)])),
      // Kubernetes does not know an image's HEALTHCHECK.
      health: probes.flatMap((probe) => [
        ...(probe?.exec ? [probe.exec.command] : []),
        ...(probe?.httpGet ? [{ port: portOf(probe.httpGet.port), path: probe.httpGet.path }] : []),
      ]),
      ends: kind === 'Job' || pod.initContainers.includes(container),
      after: before.map(({ name }) => `${metadata.name}/${name}`),
    };
  });
}

const textOf = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
