/** Columns and rows of the tile map: every region of China as a square at its approximate position. */
const ROWS = [
  '.. .. .. .. .. .. HL',
  '.. .. .. .. NM .. JL',
  'XJ GS NX SX BJ TJ LN',
  '.. QH SN HA HE SD ..',
  'XZ SC CQ HB AH JS SH',
  '.. YN GZ HN JX ZJ ..',
  '.. .. GX GD FJ .. TW',
  '.. .. HI MO HK .. ..',
];

export const MAP_COLUMNS = 7;
export const MAP_ROWS = ROWS.length;

/** Where each region stands, by its ISO 3166-2 code. */
export const TILE_POSITIONS: ReadonlyMap<string, { column: number; row: number }> = new Map(
  ROWS.flatMap((line, row) =>
    line
      .split(' ')
      .map((code, column) => [`CN-${code}`, { column, row }] as const)
      .filter(([region]) => region !== 'CN-..'),
  ),
);
