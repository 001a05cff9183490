const known = new Map<string, string>();

/** The colour that a CSS variable has in the present theme, as the canvas understands it. */
export function colour(token: string): string {
  const before = known.get(token);
  if (before) return before;
  // A custom property alone reads `light-dark(...)`: only a real property of a real element is resolved.
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  // With forced colours the page has few; the canvas keeps ours, which mean something.
  probe.style.forcedColorAdjust = 'none';
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  known.set(token, value);
  return value;
}

/** The same colour with an opacity from 0 to 1. */
export function faded(token: string, opacity: number): string {
  const channels = colour(token)
    .match(/[\d.]+/g)
    ?.slice(0, 3) ?? ['0', '0', '0'];
  return `rgb(${channels.join(' ')} / ${opacity})`;
}

/** Calls back whenever the theme changes, by our own toggle or the system's. Returns what ends it. */
export function onThemeChange(listener: () => void): () => void {
  const changed = () => {
    known.clear();
    listener();
  };
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  const system = matchMedia('(prefers-color-scheme: dark)');
  system.addEventListener('change', changed);
  return () => {
    observer.disconnect();
    system.removeEventListener('change', changed);
  };
}
