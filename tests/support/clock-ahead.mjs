// Loaded into a process with `--import`, sets its clock ahead by CLOCK_AHEAD_MS, or back.
const Real = Date;
const ahead = Number(process.env.CLOCK_AHEAD_MS);

globalThis.Date = class extends Real {
  constructor(...given) {
    super(...(given.length === 0 ? [Real.now() + ahead] : given));
  }
  static now() {
    return Real.now() + ahead;
  }
};
