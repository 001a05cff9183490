import { getComparison as get, deleteComparison as remove } from '#contract/operations/comparisons.ts';
import { deleteComparison, getComparison } from '#server/comparisons/comparisons.ts';
import { comparisonCsv } from '#server/comparisons/csv.ts';
import { handle, resource } from '#server/http/http.ts';
import { BOM } from '#server/results/csv.ts';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource(
  handle(get, async ({ params, query }) => {
    const comparison = await getComparison(params.id);
    return query.format === 'json' ? comparison : download(`${query.bom ? BOM : ''}${comparisonCsv(comparison)}`);
  }),
  handle(remove, ({ params }) => deleteComparison(params.id)),
);

const download = (csv: string) =>
  new Response(csv, {
    headers: {
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="comparison.csv"',
    },
  });
