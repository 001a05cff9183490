import china from './china.json' with { type: 'json' };
import { readOutlines } from './outlines.ts';

/**
 * The outlines of China's 34 regions by ISO 3166-2 code, in the plane of an Albers projection; with the box of the South China Sea at the
 * lower right: coast, islands, its line and its frame.
 */
export const CHINA = readOutlines(china, china.objects.provinces.geometries);
