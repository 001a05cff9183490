import { type Command, InvalidArgumentError } from 'commander';
import { Carrier, Country, Region } from '#contract/location.ts';
import {
  MAX_MEASUREMENT_LOCATIONS,
  MAX_MEASUREMENT_VANTAGES,
  MeasurementCreate,
  type MeasurementLocation,
  MeasurementSettings,
} from '#contract/measurement.ts';
import { type ProbeOptions, planOf } from './plan.ts';

/** Options that say from where, not how; of those that say how, a measurement has the ones of `PROBING`. */
const FROM = ['from', 'server', 'keyFile', 'insecureServer'];
const PRINTING = ['json', 'failIf'];
const PROBING = [
  ...['tls', 'alpn', 'sigalgs', 'sni', 'family', 'ipv4', 'ipv6', 'resolve', 'resolver', 'certificateCompression'],
  ...['cacert', 'insecure', 'http', 'compressed', 'expectStatus', 'expectText', 'expectNoText'],
];

/**
 * The places of one `--from`, after those of others: `all`, or regions and countries each with every carrier beside them (`CN-GD,CN-BJ,unicom`:
 * Unicom in both), or carriers.
 */
export function fromPlaces(text: string, before: MeasurementLocation[] = []): MeasurementLocation[] {
  const words = text.split(',').map((word) => word.trim());
  // As the dashboard does: of very many vantages an even spread.
  if (words.length === 1 && words[0] === 'all') return [...before, { limit: MAX_MEASUREMENT_VANTAGES }];
  const of = (kind: typeof Carrier) => words.filter((word) => word !== 'all' && kind.safeParse(word).success);
  const [regions, countries, carriers] = [of(Region), of(Country), of(Carrier)];
  const wrong = words.find((word) => ![...regions, ...countries, ...carriers].includes(word));
  if (wrong !== undefined)
    throw new InvalidArgumentError(
      `'${wrong}' is no place: give all, or regions (CN-GD), countries (CN) and carriers (unicom) with commas between.`,
    );
  const places = [...regions.map((region) => ({ region })), ...countries.map((country) => ({ country }))];
  const networks = carriers.map((carrier) => ({ carrier }));
  const both = places.flatMap((place) => networks.map((network) => ({ ...place, ...network })));
  const all = [...before, ...(both.length > 0 ? both : [...places, ...networks])];
  if (all.length <= MAX_MEASUREMENT_LOCATIONS) return all;
  throw new InvalidArgumentError(`There are more than ${MAX_MEASUREMENT_LOCATIONS} places.`);
}

/** A place as it may be given again. */
export const placeText = ({ region, country, carrier }: MeasurementLocation): string =>
  [region ?? country, carrier].filter((part) => part !== undefined).join(',') || 'all';

/** What the server is to probe. Throws an InvalidArgumentError that names an option of probes from here alone. */
export function measurementOf(command: Command, urls: readonly string[], options: ProbeOptions): MeasurementCreate {
  const given = command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli');
  const is = (names: string[]) => given.filter((option) => names.includes(option.attributeName()));
  const other = given.find((option) => !is([...FROM, ...PRINTING, ...PROBING]).includes(option));
  if (other) throw new InvalidArgumentError(`option '${other.long}' cannot be combined with '--from'.`);
  const [url = '', ...others] = urls;
  if (others.length > 0) throw new InvalidArgumentError("option '--from' takes one URL.");
  const { settings, otherAddresses } = planOf(url, options);
  if (settings.sigalgs === 'both') throw new InvalidArgumentError("option '--sigalgs' is RSA or ECDSA with '--from'.");
  if (otherAddresses.length > 0) throw new InvalidArgumentError("option '--resolve' takes one address with '--from'.");
  const own = Object.entries(settings).filter(([name]) => name in MeasurementSettings.shape);
  // Without any the server takes those of a target with this origin.
  const how = is(PROBING).length > 0 ? { settings: MeasurementSettings.parse(Object.fromEntries(own)) } : {};
  return MeasurementCreate.parse({ url, locations: options.from, ...how });
}

/** Throws an InvalidArgumentError for an option that says from where, where nothing is probed from there. */
export function refuseWithoutFrom(command: Command): void {
  const idle = command.options.find((option) => {
    const name = option.attributeName();
    return FROM.includes(name) && command.getOptionValueSource(name) === 'cli';
  });
  if (idle) throw new InvalidArgumentError(`option '${idle.long}' has no effect without '--from'.`);
}
