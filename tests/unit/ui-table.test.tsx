import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { ListPage } from '#components/ui/page.tsx';
import { type Column, Table } from '#components/ui/table.tsx';
import { translator } from '#i18n/translator.ts';
import type { Ui } from '#i18n/ui.ts';

type Row = { name: string; ms: number };
const ROWS: Row[] = [
  { name: 'a', ms: 1 },
  { name: 'b', ms: 2 },
];
const NAME: Column<Row> = { key: 'name', head: 'Name', cell: ({ name }) => name, rowHead: true };
const MS: Column<Row> = { key: 'ms', head: 'Time', cell: ({ ms }) => ms, numeric: true, wideOnly: true };

function html(props: Partial<Parameters<typeof Table<Row>>[0]>): string {
  return renderToStaticMarkup(
    <Table label="Times" rows={ROWS} rowKey={({ name }) => name} columns={[NAME, MS]} {...props} />,
  );
}

it('a table stands in a named box that scrolls and can be reached by the keyboard', () => {
  expect(html({ caption: 'Times of all' })).toMatch(
    /^<section class="relative overflow-x-auto ?" aria-label="Times" tabindex="0"><table[^>]*><caption class="sr-only">Times of all/,
  );
});

it('heads name their columns, and the cell that names its row is a row header', () => {
  const table = html({});
  expect(table).toContain('<th scope="col">Name</th>');
  expect(table).toContain('<th scope="row">a</th>');
});

it('figures stand at the right, and what a phone has no room for is hidden there in head and cells', () => {
  const table = html({});
  expect(table).toContain('<th scope="col" class="num hidden sm:table-cell">Time</th>');
  expect(table.match(/<td class="num hidden sm:table-cell">/g)).toHaveLength(2);
});

it('a head for screen readers alone, and an empty corner', () => {
  expect(
    html({
      columns: [
        { ...NAME, head: null },
        { ...MS, hiddenHead: true },
      ],
    }),
  ).toMatch(/<tr><td><\/td><th[^>]*><span class="sr-only">Time<\/span><\/th><\/tr>/);
});

it('a definition is one Tab away from its head', () => {
  expect(html({ columns: [{ ...NAME, definition: 'What it is called' }] })).toMatch(
    /<button type="button" aria-describedby="([^"]+)">Name<\/button><span role="tooltip" id="\1">What it is called/,
  );
});

it('a column that is null is left out', () => {
  expect(html({ columns: [NAME, null] })).not.toContain('>Time<');
});

it('a cell may take the place of those after it', () => {
  const table = html({
    columns: [
      { ...NAME, span: ({ ms }) => ms },
      { ...MS, span: ({ ms }) => 2 - ms },
    ],
  });
  expect(table).toContain('<th scope="row" colSpan="2">b</th></tr>');
  expect(table.match(/<td/g)).toHaveLength(1);
});

it('the left edge of a row has the colour of what it says', () => {
  const table = html({ stripe: ({ name }) => (name === 'b' ? 'bad' : null) });
  expect(table.match(/<tr class="[^"]*--edge:var\(--bad\)\]"><th scope="row">b/g)).toHaveLength(1);
  expect(table.match(/--edge/g)).toHaveLength(1);
});

const UI: Ui = { locale: 'en', t: translator('en'), timeZone: 'Asia/Shanghai', theme: 'system' };

it('a list page shows its rows, the way to make one more and the way to further rows', () => {
  const page = renderToStaticMarkup(
    <ListPage
      ui={UI}
      title="Rules"
      add={{ href: '/rules/new', label: 'Add' }}
      next={{ href: '?cursor=x', label: 'Older' }}
      empty={null}
    >
      {'rows'}
    </ListPage>,
  );
  for (const part of ['Rules</h1>', 'href="/rules/new"', 'rows', 'href="?cursor=x"', 'Asia/Shanghai'])
    expect(page).toContain(part);
});

it('a list page without rows says why', () => {
  const page = renderToStaticMarkup(
    <ListPage ui={UI} title="Rules" empty={{ title: 'No rules yet', text: 'Add one.' }}>
      {'rows'}
    </ListPage>,
  );
  expect(page).toContain('<h2>No rules yet</h2>');
  expect(page).not.toContain('rows');
});
