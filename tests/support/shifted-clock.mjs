// Loaded with --import: this process's wall clock, in every thread, is off by the milliseconds that stand in a file,
// which may change while it runs, as when somebody sets a clock.
import { readFileSync } from 'node:fs';

const Real = Date;
const file = process.env.SHIFTED_CLOCK_FILE;
let offMs = 0;
const read = () => {
  offMs = Number(readFileSync(file, 'utf8'));
};
read();
setInterval(read, 20).unref();
globalThis.Date = class extends Real {
  constructor(...given) {
    super(...(given.length === 0 ? [Real.now() + offMs] : given));
  }

  static now() {
    return Real.now() + offMs;
  }
};
