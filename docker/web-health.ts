// Health check of the web container: 0 where the process serves. Whether database and jobs are up is /api/ready's matter.
import process from 'node:process';

const response = await fetch(`http://127.0.0.1:${process.env.PORT || 3000}/api/health`, {
  signal: AbortSignal.timeout(4_000),
}).catch(() => null);
process.exit(response?.ok ? 0 : 1);
