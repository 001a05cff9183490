import { MAINLAND_REGIONS } from '#contract/location.ts';

export type DemoCarrier = 'telecom' | 'unicom' | 'mobile';
export const DEMO_CARRIERS: readonly DemoCarrier[] = ['telecom', 'unicom', 'mobile'];

/** A vantage of the demo as the server stores it (the fields of contract/place.ts). */
export type DemoVantage = {
  name: string;
  country: 'CN';
  region: string;
  city: string;
  carrier: DemoCarrier;
  asn: number;
  access: 'lastmile';
};

/** Where a path ends: a region and the carrier in whose network it ends. */
export type Site = { region: string; carrier: string };

/** A path between a vantage and an origin, before jitter. */
export type LineConditions = {
  rttMs: number;
  /** Chance that one segment is lost. */
  loss: number;
};

type Capital = { city: string; latitude: number; longitude: number };

const CAPITALS: Record<string, Capital> = {
  'CN-BJ': { city: 'Beijing', latitude: 39.9, longitude: 116.4 },
  'CN-TJ': { city: 'Tianjin', latitude: 39.1, longitude: 117.2 },
  'CN-HE': { city: 'Shijiazhuang', latitude: 38.0, longitude: 114.5 },
  'CN-SX': { city: 'Taiyuan', latitude: 37.9, longitude: 112.5 },
  'CN-NM': { city: 'Hohhot', latitude: 40.8, longitude: 111.7 },
  'CN-LN': { city: 'Shenyang', latitude: 41.8, longitude: 123.4 },
  'CN-JL': { city: 'Changchun', latitude: 43.9, longitude: 125.3 },
  'CN-HL': { city: 'Harbin', latitude: 45.8, longitude: 126.5 },
  'CN-SH': { city: 'Shanghai', latitude: 31.2, longitude: 121.5 },
  'CN-JS': { city: 'Nanjing', latitude: 32.1, longitude: 118.8 },
  'CN-ZJ': { city: 'Hangzhou', latitude: 30.3, longitude: 120.2 },
  'CN-AH': { city: 'Hefei', latitude: 31.8, longitude: 117.3 },
  'CN-FJ': { city: 'Fuzhou', latitude: 26.1, longitude: 119.3 },
  'CN-JX': { city: 'Nanchang', latitude: 28.7, longitude: 115.9 },
  'CN-SD': { city: 'Jinan', latitude: 36.7, longitude: 117.0 },
  'CN-HA': { city: 'Zhengzhou', latitude: 34.7, longitude: 113.7 },
  'CN-HB': { city: 'Wuhan', latitude: 30.6, longitude: 114.3 },
  'CN-HN': { city: 'Changsha', latitude: 28.2, longitude: 113.0 },
  'CN-GD': { city: 'Guangzhou', latitude: 23.1, longitude: 113.3 },
  'CN-GX': { city: 'Nanning', latitude: 22.8, longitude: 108.3 },
  'CN-HI': { city: 'Haikou', latitude: 20.0, longitude: 110.3 },
  'CN-CQ': { city: 'Chongqing', latitude: 29.6, longitude: 106.6 },
  'CN-SC': { city: 'Chengdu', latitude: 30.7, longitude: 104.1 },
  'CN-GZ': { city: 'Guiyang', latitude: 26.6, longitude: 106.7 },
  'CN-YN': { city: 'Kunming', latitude: 25.0, longitude: 102.7 },
  'CN-XZ': { city: 'Lhasa', latitude: 29.7, longitude: 91.1 },
  'CN-SN': { city: "Xi'an", latitude: 34.3, longitude: 108.9 },
  'CN-GS': { city: 'Lanzhou', latitude: 36.1, longitude: 103.8 },
  'CN-QH': { city: 'Xining', latitude: 36.6, longitude: 101.8 },
  'CN-NX': { city: 'Yinchuan', latitude: 38.5, longitude: 106.3 },
  'CN-XJ': { city: 'Urumqi', latitude: 43.8, longitude: 87.6 },
};

/** What a carrier adds: access delay and loss, and by how much the evening lengthens its round trips. */
const CARRIERS: Record<DemoCarrier, { label: string; asn: number; accessMs: number; loss: number; evening: number }> = {
  telecom: { label: 'Telecom', asn: 4134, accessMs: 3.5, loss: 0.0006, evening: 0.06 },
  unicom: { label: 'Unicom', asn: 4837, accessMs: 4, loss: 0.0008, evening: 0.08 },
  mobile: { label: 'Mobile', asn: 9808, accessMs: 6, loss: 0.0015, evening: 0.14 },
};

/** Provinces whose traffic goes a long way round: how much longer, and how much more of it is lost. */
const REMOTE: Record<string, { detour: number; loss: number }> = {
  'CN-XZ': { detour: 1.35, loss: 0.004 },
  'CN-XJ': { detour: 1.25, loss: 0.0025 },
  'CN-QH': { detour: 1.15, loss: 0.0015 },
  'CN-HI': { detour: 1.1, loss: 0.001 },
  'CN-YN': { detour: 1.1, loss: 0.001 },
  'CN-NM': { detour: 1.1, loss: 0.0005 },
};

/** A round trip along 1 km of fibre, at two thirds of the speed of light, on a route half as long again as the straight line. */
const RTT_MS_PER_KM = 0.01 * 1.5;
/** Carriers exchange traffic in a few cities only, over links that are full in the evening. */
const CROSS_CARRIER_MS = 5;
const CROSS_CARRIER_LOSS = 0.001;

/** The 93 vantages of the demo: every mainland region with each of the three national carriers. */
export const DEMO_VANTAGES: readonly DemoVantage[] = MAINLAND_REGIONS.flatMap((region) =>
  DEMO_CARRIERS.map((carrier) => {
    const { city } = capitalOf(region);
    const { label, asn } = CARRIERS[carrier];
    return { name: `${city} ${label}`, country: 'CN', region, city, carrier, asn, access: 'lastmile' } as const;
  }),
);

/** The path between two places at a time: 5 to 90 ms, 0.05 to 0.8% loss, worse in the evening of China. */
export function pathBetween(vantage: Site, origin: Site, atMs: number): LineConditions {
  const carrier = carrierOf(vantage.carrier);
  const remote = REMOTE[vantage.region] ?? { detour: 1, loss: 0 };
  const crosses = vantage.carrier !== origin.carrier;
  const distanceMs = kilometres(capitalOf(vantage.region), capitalOf(origin.region)) * RTT_MS_PER_KM * remote.detour;
  const peak = eveningPeak(atMs);
  const rttMs = distanceMs + carrier.accessMs + (crosses ? CROSS_CARRIER_MS * (1 + peak) : 0) + 1;
  const loss = carrier.loss + remote.loss + (crosses ? CROSS_CARRIER_LOSS : 0);
  return { rttMs: rttMs * (1 + peak * carrier.evening), loss: loss * (1 + 0.3 * peak) };
}

/** 0 by day and 1 at 21:00 in China, rising and falling over three hours. China keeps UTC+8 all year. */
export function eveningPeak(atMs: number): number {
  const hour = (atMs / 3_600_000 + 8) % 24;
  return Math.max(0, 1 - Math.abs(hour - 21) / 3);
}

function carrierOf(name: string) {
  const known = DEMO_CARRIERS.find((carrier) => carrier === name);
  if (!known) throw new Error(`the demo has no carrier ${name}`);
  return CARRIERS[known];
}

function capitalOf(region: string): Capital {
  const capital = CAPITALS[region];
  if (!capital) throw new Error(`the demo has no place in ${region}`);
  return capital;
}

function kilometres(a: Capital, b: Capital): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const northing = Math.sin(radians(b.latitude - a.latitude) / 2) ** 2;
  const easting = Math.sin(radians(b.longitude - a.longitude) / 2) ** 2;
  const h = northing + Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * easting;
  return 2 * 6_371 * Math.asin(Math.sqrt(h));
}
