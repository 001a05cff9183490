import { ChildProcess } from 'node:child_process';

// Loaded into every Node of `npm run test:clock`: programs that are started with an environment of their own, as PostgreSQL
// is, go by the set clock as well.

const clock = Object.entries(process.env).filter(([name]) => /^(LD_PRELOAD|NO_FAKE_STAT|FAKETIME.*)$/.test(name));
const { spawn } = ChildProcess.prototype;

ChildProcess.prototype.spawn = function spawnByTheClock(options) {
  const given = new Set(options.envPairs.map((pair) => pair.slice(0, pair.indexOf('='))));
  for (const [name, value] of clock) if (!given.has(name)) options.envPairs.push(`${name}=${value}`);
  return spawn.call(this, options);
};
