import { memoryMib, shareOf } from '../../memory.ts';

/** The same on every machine. */
const fixed = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '60',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  wal_compression: 'on',
  // Results that were acknowledged to a prober are gone from its spool: they have to be on disk.
  synchronous_commit: 'on',
  random_page_cost: '1.1',
  // Compiling costs more than the short queries of a dashboard gain by it.
  jit: 'off',
  io_workers: '2',
  max_parallel_workers_per_gather: '1',
  max_logical_replication_workers: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C',
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] ',
};

const mib = (memory: number, part: number, bounds: readonly [number, number]) => `${shareOf(memory, part, bounds)}MB`;

/**
 * What follows from the machine's memory (MiB), which is shared with the web process, the jobs and a prober. What is read often
 * is small; the rest is the page cache's. A sort or a hash takes up to `work_mem`, several in one query and 20 queries at once.
 */
function settingsFor(memory: number): Record<string, string> {
  return {
    shared_buffers: mib(memory, 1 / 10, [64, 1_024]),
    effective_cache_size: mib(memory, 1 / 2, [256, 16_384]),
    work_mem: mib(memory, 1 / 256, [4, 32]),
    maintenance_work_mem: mib(memory, 1 / 32, [32, 512]),
  };
}

/** The server's arguments: settings travel with the program, so that an old cluster gets the new ones. `memory` in MiB. */
export function serverArguments(cluster: string, port: number, memory: number = memoryMib()): string[] {
  const settings = Object.entries({ ...fixed, ...settingsFor(memory) }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  return ['-D', cluster, '-p', String(port), ...settings];
}

/**
 * `initdb`'s arguments. The built-in locale sorts by code point and is the same everywhere: a C library's update
 * cannot make indexes wrong.
 */
export function initArguments(cluster: string, user: string, passwordFile: string): string[] {
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const safety = ['--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--data-checksums'];
  return ['-D', cluster, `--username=${user}`, ...locale, ...safety];
}
