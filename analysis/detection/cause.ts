import { type Contrast, tlsMs } from './contrast.ts';
import { meanOf, medianOf } from './order-statistics.ts';
import type { Cause } from './sample.ts';

/** Connect moved by at least this part of TLS's logarithmic change: the path did it. */
const OF_THE_PATH = 0.5;
/** The server's time to think moved by at least this part of TLS's milliseconds: the server is slow at all it does. */
const OF_THE_SERVER = 0.25;
/** A line's change is part of a neighbour's where it is at least this part of it. */
const ALONG = 0.25;
/** Round trips of vantages must differ by this coefficient of variation to tell milliseconds from round trips. */
const APART = 0.2;
/** A quartile moved by a whole number of round trips where it is within this of it. */
const NEAR_WHOLE = 0.2;

/**
 * Why TLS time moved on a line; `siblings` are what the same hours did to the same target's other lines. Connect, then
 * the server's time to think; where neither moved, whether vantages lost the same milliseconds (server) or milliseconds
 * in proportion to their round trip (the structure of the handshake).
 */
export function causeOf(own: Contrast, siblings: readonly Contrast[]): Cause {
  if (own.connect / own.tls >= OF_THE_PATH) return 'network';
  const moved = siblings.filter((each) => each.tls / own.tls > ALONG);
  // Neighbours that moved along are the same change seen again: their middle is surer than one line.
  const shared = moved.length >= 2 && moved.length >= siblings.length / 2;
  const all = shared ? [own, ...moved] : [own];
  const think = medianOf(all.map((each) => each.thinkMs / tlsMs(each)));
  if (think >= OF_THE_SERVER && Math.abs(own.thinkMs) > 2 * own.thinkNoise) return 'server';
  if (shared && variation(all.map(({ roundTrip }) => roundTrip)) > APART) return inProportion(all) ? 'tls' : 'server';
  return isWhole(own) ? 'tls' : 'server';
}

/** Whether ms per round trip vary less from line to line than ms. */
function inProportion(all: readonly Contrast[]): boolean {
  return variation(all.map((each) => tlsMs(each) / each.roundTrip)) < variation(all.map(tlsMs));
}

/** Coefficient of variation. */
function variation(values: number[]): number {
  const mean = meanOf(values);
  return Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2))) / Math.abs(mean);
}

/** Whether the quartile that moved most moved by whole round trips: all handshakes, or some of them, take one more or less. */
function isWhole({ quartilesMs, roundTrip }: Contrast): boolean {
  const trips = Math.max(...quartilesMs.map(Math.abs)) / roundTrip;
  return trips > 0.5 && Math.abs(trips - Math.round(trips)) <= NEAR_WHOLE;
}
