import { readOutlines } from './outlines.ts';
import world from './world.json' with { type: 'json' };

/**
 * The countries by ISO 3166-1 code, first those that are but a dot, last China, which has Taiwan, Hong Kong and Macao in it; with the line of
 * the South China Sea. The plane is equirectangular, true at 36 degrees, its middle 150 degrees east; Antarctica is left out.
 */
export const WORLD = readOutlines(world, world.objects.countries.geometries);
