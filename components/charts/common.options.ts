import { colour } from './colours.ts';

/** The look of a tooltip: the page's own ink and surface, the other way round. */
export const tooltipLook = {
  backgroundColor: () => colour('--ink'),
  titleColor: () => colour('--surface'),
  bodyColor: () => colour('--surface'),
  footerColor: () => colour('--surface'),
  padding: 10,
  cornerRadius: 7,
  boxPadding: 4,
  usePointStyle: true,
} as const;

export const FONT = {
  family: '"Inter Variable", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif',
  size: 12,
};
