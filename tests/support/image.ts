import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { ROOT } from '#cli/dist.mjs';
import { must, run } from '#tests/lab/commands.ts';
import { copyOf, readStages, type Stage } from './dockerfile.ts';
import { enter, makeMountPoints } from './sandbox.ts';

// Builds the trees of the Dockerfile's images in folders, by its own COPY and RUN steps. Two things come from the checkout: what
// `npm ci` installs, as hard links, and a build that is there, which the build step then takes as it is.

/** A built image: the folder of its tree, and what it says of containers. */
export type Image = {
  tree: string;
  env: Record<string, string>;
  workdir: string;
  user: string | null;
  entrypoint: string[];
  command: string[];
  health: string[] | null;
  volumes: string[];
  /** The folder for packages, which are the checkout's own. */
  packages: string | null;
};

const PRODUCTS = ['dist', 'prisma/generated'];
const STAMPS = ['prisma/generated/.built', 'dist/.built', 'dist/web/.built'];
const isRoot = process.getuid?.() === 0;

/** Builds stages below `folder`, each once. */
export class Builder {
  readonly #folder: string;
  readonly #stages = readStages(readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8'));
  readonly #built = new Map<string, Promise<Image>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The image of a stage, or of a base image outside, which is an empty tree on this machine's programs. */
  image(name: string): Promise<Image> {
    const made = this.#built.get(name) ?? this.#make(name);
    this.#built.set(name, made);
    return made;
  }

  async #make(name: string): Promise<Image> {
    const tree = path.join(this.#folder, name.replaceAll(/\W/g, '-'));
    const stage = this.#stages.find((each) => each.name === name);
    if (!stage) return baseImage(name, tree);
    const base = await this.image(stage.from);
    // Copied, not linked: steps write files.
    await must('cp', '--archive', '--no-target-directory', base.tree, tree);
    const image = { ...base, tree, env: { ...base.env }, volumes: [...base.volumes] };
    for (const { name: instruction, text } of stage.instructions) await this.#apply(image, stage, instruction, text);
    return image;
  }

  async #apply(image: Image, stage: Stage, instruction: string, text: string): Promise<void> {
    const list = () => JSON.parse(text) as string[];
    const steps: Record<string, () => unknown> = {
      ARG: () => {},
      EXPOSE: () => {},
      ENV: () => Object.assign(image.env, Object.fromEntries(text.split(' ').map((pair) => pair.split('=')))),
      WORKDIR: () => {
        image.workdir = text;
        mkdirSync(path.join(image.tree, text), { recursive: true });
      },
      USER: () => {
        image.user = text;
      },
      VOLUME: () => image.volumes.push(text),
      // An ENTRYPOINT forgets the base's CMD.
      ENTRYPOINT: () => Object.assign(image, { entrypoint: list(), command: [] }),
      CMD: () => Object.assign(image, { command: list() }),
      HEALTHCHECK: () => Object.assign(image, { health: JSON.parse(text.slice(text.indexOf('CMD ') + 4)) }),
      COPY: () => this.#copy(image, text),
      RUN: () => runStep(image, text.replaceAll(/--mount=\S+ /g, '')),
    };
    const step = steps[instruction];
    if (!step) throw new Error(`the interpreter of the Dockerfile does not know ${instruction} (stage ${stage.name})`);
    await step();
  }

  async #copy(image: Image, text: string): Promise<void> {
    const { from, sources, target } = copyOf(text);
    const isContext = from === null;
    const source = isContext ? null : await this.image(from);
    const to = path.join(image.tree, path.resolve(image.workdir, target));
    for (const each of isContext ? contextPaths(sources) : sources) {
      const whence = source === null ? path.join(ROOT, each) : sourceOf(source, each);
      const into = target.endsWith('/') || sources.length > 1;
      const isFile = statSync(whence).isFile();
      const destination = sources[0] === '.' || (into && isFile) ? path.join(to, path.basename(each)) : to;
      await mkdir(path.dirname(destination), { recursive: true });
      if (isFile) await copyFile(whence, destination);
      else if (isContext) cpSync(whence, destination, { recursive: true, filter: isSent });
      else await must('cp', '--archive', '--link', '--no-target-directory', whence, destination);
    }
    if (sources[0] === '.') await reuseBuild(to);
  }
}

/** What .dockerignore lets in: all is shut out but what is named after a `!`, and of that `**` and plain patterns go again. */
function contextPaths(sources: string[]): string[] {
  const allowed = readFileSync(path.join(ROOT, '.dockerignore'), 'utf8')
    .split('\n')
    .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
  const refused = sources.filter((source) => source !== '.' && !allowed.includes(source.split('/')[0] ?? ''));
  if (refused.length > 0) throw new Error(`.dockerignore keeps ${refused.join(', ')} out of the build`);
  return sources[0] === '.' ? allowed : sources;
}

const isSent = (file: string) =>
  !/\.log$|\/\.env[^/]*$|\/\.DS_Store$/.test(file) && path.relative(ROOT, file) !== 'prisma/generated';

async function reuseBuild(to: string): Promise<void> {
  for (const product of PRODUCTS) {
    const from = path.join(ROOT, product);
    if (!existsSync(from)) continue;
    mkdirSync(path.dirname(path.join(to, product)), { recursive: true });
    await must('cp', '--archive', '--link', '--no-target-directory', from, path.join(to, product));
  }
  // The sources were just copied here, which makes them newer than the build that is of them.
  for (const stamp of STAMPS.map((each) => path.join(to, each)).filter((each) => existsSync(each))) {
    rmSync(stamp); // it is the checkout's own, by a link
    writeFileSync(stamp, '');
  }
}

/** Where a file of an image is. */
function sourceOf({ tree, packages }: Image, file: string): string {
  const inside = packages === null ? '..' : path.relative(packages, file);
  return inside.startsWith('..') ? path.join(tree, file) : path.join(ROOT, 'node_modules', inside);
}

async function runStep(image: Image, text: string): Promise<void> {
  if (text === 'npm ci') {
    image.packages = path.join(image.workdir, 'node_modules');
    return;
  }
  // An ordinary user has no second one to give files to.
  const step = isRoot ? text : text.replaceAll(/useradd [^&]*&& |-o \w+ -g \w+ /g, '');
  const env = { ...image.env, npm_config_offline: 'true' };
  const mounts = image.packages === null ? {} : { [image.packages]: path.join(ROOT, 'node_modules') };
  const { status, stdout, stderr } = await run(enter({ ...image, env, mounts, argv: ['sh', '-c', step] }));
  if (status !== 0) throw new Error(`RUN ${text} ended with ${status}: ${stdout}${stderr}`);
}

/** Programs and libraries are this machine's; Node is the checkout's, as in the base image, with this machine's npm. */
async function baseImage(name: string, tree: string): Promise<Image> {
  makeMountPoints(tree);
  for (const folder of ['etc', 'root', 'usr/local/bin', 'usr/local/lib/node_modules']) {
    mkdirSync(path.join(tree, folder), { recursive: true });
  }
  writeFileSync(path.join(tree, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n');
  writeFileSync(path.join(tree, 'etc/group'), 'root:x:0:\n');
  writeFileSync(path.join(tree, 'etc/hosts'), '');
  // Says that a user gets a group of the same name.
  if (existsSync('/etc/login.defs')) cpSync('/etc/login.defs', path.join(tree, 'etc/login.defs'));
  if (name.startsWith('node:')) {
    linkSync(path.join(ROOT, 'node_modules/node/bin/node'), path.join(tree, 'usr/local/bin/node'));
    const npm = path.dirname(path.dirname((await must('sh', '-c', 'readlink -f "$(command -v npm)"')).trim()));
    cpSync(npm, path.join(tree, 'usr/local/lib/node_modules/npm'), { recursive: true });
    symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', path.join(tree, 'usr/local/bin/npm'));
  }
  return {
    tree,
    env: {},
    workdir: '/',
    user: null,
    entrypoint: [],
    command: [],
    health: null,
    volumes: [],
    packages: null,
  };
}
