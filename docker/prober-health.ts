// Health check of the prober's container: 0 where a prober works in the data folder with a credential of its own.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { isFolderLocked } from '#workers/prober/folder-lock.ts';

const folder = path.join(process.env.ROUNDTRIP_DATA || '.roundtrip', 'prober');
const taken = await isFolderLocked(folder);
process.exit(taken && existsSync(path.join(folder, 'credential.json')) ? 0 : 1);
