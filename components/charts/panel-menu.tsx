'use client';

import { useEffect, useRef } from 'react';
import { closeMenusOutside } from '../ui/close-menus.ts';
import { useCopy } from '../ui/use-copy.ts';
import { panelCsv, panelPicture, saveFile } from './panel-chart.ts';

type Props = {
  /** Id of the panel's table. */
  panel: string;
  title: string;
  /** Name of the values' unit. */
  unit: string;
  /** Path of the page with the range's instants in it; without one there is no link to copy. */
  link: string | undefined;
  /** Path of the same figures in the API, where it has them. */
  json?: string;
  /** The unit of what its values are over; times where left out. */
  axis?: string;
  texts: Record<'menu' | 'link' | 'copied' | 'csv' | 'png' | 'json', string>;
};

/** What can be taken from a chart: a link that shows colleagues the same times, its values, its picture. */
export function PanelMenu({ panel, title, unit, link, json, axis, texts }: Props) {
  const list = useRef<HTMLUListElement>(null);
  const { copied, copy } = useCopy();
  useEffect(() => closeMenusOutside(list), []);
  const picture = async () => {
    const made = await panelPicture(panel, title);
    if (made) saveFile(made, `${title}.png`);
  };
  const csv = () => saveFile(new Blob(['\ufeff', panelCsv(panel, unit, axis)], { type: 'text/csv' }), `${title}.csv`);
  return (
    <details className="relative" name="panel-menu">
      <summary className="link text-[0.86rem]">
        {texts.menu} <span aria-hidden="true">▾</span>
      </summary>
      <ul ref={list} className="menu right-0 grid w-max gap-2 text-[0.92rem]">
        {link === undefined ? null : (
          <li>
            <button type="button" className="link" onClick={() => copy(new URL(link, location.href).href)}>
              <span aria-live="polite">{copied !== null ? texts.copied : texts.link}</span>
            </button>
          </li>
        )}
        <li>
          <button type="button" className="link" onClick={csv}>
            {texts.csv}
          </button>
        </li>
        <li>
          <button type="button" className="link" onClick={picture}>
            {texts.png}
          </button>
        </li>
        {json === undefined ? null : (
          <li>
            <a href={json} className="link">
              {texts.json}
            </a>
          </li>
        )}
      </ul>
    </details>
  );
}
