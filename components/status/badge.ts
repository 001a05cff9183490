import type { Translate } from '#i18n/translator.ts';
import type { RankedTarget } from '../target/rank.ts';
import { stateOf } from './state.ts';

const COLOURS = { good: '#1f7a3d', bad: '#b3261e', unknown: '#5f6368' } as const;
const HEIGHT = 20;
const PAD = 7;
/** Widths of characters at 11 px, px: of Latin script, and of Chinese. */
const NARROW = 6.6;
const WIDE = 11.5;

/** An SVG of two fields: what a status page is called, and its state. */
export function badgeOf(t: Translate, title: string, targets: readonly RankedTarget[]): string {
  const { state: kind, troubled } = stateOf(targets);
  const [state, colour] =
    kind === 'troubled'
      ? [t('status.badgeTroubled', { troubled, n: targets.length }), COLOURS.bad]
      : kind === 'fine'
        ? [t('status.badgeFine'), COLOURS.good]
        : [t('status.unmeasured'), COLOURS.unknown];
  const [left, right] = [widthOf(title), widthOf(state)];
  const text = (x: number, words: string) => `<text x="${x}" y="14">${escaped(words)}</text>`;
  const label = `${escaped(title)}: ${escaped(state)}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="${HEIGHT}" role="img" aria-label="${label}"><title>${label}</title><rect width="${left}" height="${HEIGHT}" fill="#3c4043"/><rect x="${left}" width="${right}" height="${HEIGHT}" fill="${colour}"/><g fill="#fff" font-family="Verdana,Geneva,sans-serif" font-size="11">${text(PAD, title)}${text(left + PAD, state)}</g></svg>`;
}

const widthOf = (text: string) =>
  Math.ceil(2 * PAD + [...text].reduce((sum, sign) => sum + ((sign.codePointAt(0) ?? 0) < 0x2e80 ? NARROW : WIDE), 0));

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
