// Health check of the jobs container: 0 where the database is reached, is migrated, and hears the jobs' heart.
import { checkReady } from '#server/monitoring/health.ts';

const { ready, reason } = await checkReady();
if (reason) process.stderr.write(`${reason}\n`);
process.exit(ready ? 0 : 1);
