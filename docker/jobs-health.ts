// Health check of the jobs container: 0 where the database is reached, is migrated, hears the jobs' heart, and holds no secret that
// cannot be opened.
import { checkReady } from '#server/monitoring/health.ts';

const { ready, reason, degraded = [] } = await checkReady();
for (const problem of [reason, ...degraded.map((part) => part.reason)])
  if (problem) process.stderr.write(`${problem}\n`);
process.exit(ready && degraded.length === 0 ? 0 : 1);
