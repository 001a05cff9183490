/**
 * Closes the menu that this is in, or the menus in it, on Escape and on a press elsewhere: `<details>` alone would stay open. Returns what
 * ends that.
 */
export function closeMenusOutside(inside: { current: HTMLElement | null }): () => void {
  const close = (event: Event) => {
    if (event instanceof KeyboardEvent && event.key !== 'Escape') return;
    const own = inside.current?.closest('details') ?? inside.current?.querySelectorAll('details[open]') ?? [];
    for (const menu of own instanceof HTMLElement ? [own] : own) {
      if (event instanceof KeyboardEvent || !(event.target instanceof Node && menu.contains(event.target))) {
        // What had the focus is no longer to be seen.
        if (event instanceof KeyboardEvent && menu.contains(document.activeElement))
          menu.querySelector('summary')?.focus();
        menu.removeAttribute('open');
      }
    }
  };
  document.addEventListener('pointerdown', close);
  document.addEventListener('keydown', close);
  return () => {
    document.removeEventListener('pointerdown', close);
    document.removeEventListener('keydown', close);
  };
}
