import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createDetector, type Detector } from '#analysis/detection/detector.ts';
import type { Series, SeriesSample } from '#analysis/detection/sample.ts';
import { Random } from './world/random.ts';

const HOUR = 3_600;
/** After so many hours all that a detector keeps by the sample is full (26 hours), and the daily shape is learnt. */
const WARM_UP = 27;
const MEASURED = 4;
const PERIOD = 60;
const START = 1_767_542_400;
const AIM_SERIES = 10_000;
const CARRIERS = ['telecom', 'unicom', 'mobile', 'cernet'];

/**
 * CPU and memory of the detector with so many series, one probe a minute, all four metrics watched as in the jobs: printed
 * as measured and, in proportion, for 10,000.
 */
export function benchCost(series: number): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const empty = process.memoryUsage();
  const detector = createDetector({ spikesOn: ['tls', 'tcp', 'firstByte', 'failures'] });
  for (let index = 0; index < series; index++) detector.indexOf(seriesAt(index));
  const random = new Random(1).fork('cost');
  const hours: number[] = [];
  for (let hour = 0; hour < WARM_UP + MEASURED; hour++) hours.push(cpuOfHour(detector, series, hour, random));
  // Buffers are given back a collection after the arrays that held them.
  for (let times = 0; times < 3; times++) collect();
  const full = process.memoryUsage();
  const bytes = full.heapUsed + full.arrayBuffers - empty.heapUsed - empty.arrayBuffers;
  const steady = hours.slice(WARM_UP).reduce((sum, ms) => sum + ms, 0) / MEASURED;
  const scale = AIM_SERIES / series;
  console.log(
    `${series} series, a probe a minute, four metrics, hours ${WARM_UP} to ${WARM_UP + MEASURED} of the detector:`,
  );
  console.log(`  CPU ${(steady / series / 2).toFixed(3)} ms a series and half hour`);
  console.log(`  ${((100 * steady * scale) / (HOUR * 1_000)).toFixed(1)}% of a core for 10,000 series (aim 10%)`);
  console.log(
    `  memory ${(bytes / series / 1_024).toFixed(0)} KiB a series, ${((bytes * scale) / 2 ** 30).toFixed(2)} GiB for 10,000`,
  );
  const stored = Iterator.from(detector.state()).reduce((sum, { length }) => sum + length, 0);
  console.log(`  state() ${(stored / series / 1_024).toFixed(0)} KiB a series`);
}

/** CPU of the detector alone, ms: an hour's samples are drawn before the clock starts. */
function cpuOfHour(detector: Detector, series: number, hour: number, random: Random): number {
  const seconds: SeriesSample[][] = Array.from({ length: HOUR }, () => []);
  for (let index = 0; index < series; index++) {
    for (let at = index % PERIOD; at < HOUR; at += PERIOD)
      seconds[at]?.push({ index, sample: sampleAt(index, START + hour * HOUR + at, random) });
  }
  const begun = process.cpuUsage();
  seconds.forEach((samples, second) => {
    if (samples.length > 0) detector.advance(START + hour * HOUR + second, samples);
  });
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1_000;
}

/** Half a per cent of probes lose a segment, as many are odd, one in a thousand fails. */
function sampleAt(index: number, timestamp: number, random: Random): SeriesSample['sample'] {
  const trip = () => (10 + (index % 97)) * Math.exp(0.04 * random.normal());
  const late = random.chance(0.005) ? 200 : random.chance(0.005) ? 30 : 0;
  if (random.chance(0.001)) return { timestamp, tcp: trip(), tls: null, firstByte: null, ok: false };
  return { timestamp, tcp: trip(), tls: trip() + 5 + late, firstByte: trip() + 8, ok: true };
}

/** A hundred vantages a target, of four carriers. */
function seriesAt(index: number): Series {
  const vantage = index % 100;
  return {
    target: `target-${Math.floor(index / 100)}`,
    vantage: `vantage-${vantage}`,
    country: 'CN',
    region: `region-${Math.floor(vantage / CARRIERS.length)}`,
    carrier: CARRIERS[vantage % CARRIERS.length] as string,
  };
}
