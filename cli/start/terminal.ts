const NAME_WIDTH = 12;

/** What `roundtrip start` shows: one line a part. A line in progress is rewritten on a terminal and left out elsewhere. */
export type Terminal = {
  /** A part's state, for good. */
  line(name: string, text: string): void;
  /** A state that the next line for any part replaces. */
  progress(name: string, text: string): void;
  /** Plain text. */
  print(text: string): void;
};

/** A line that `out` did not take, since it is no longer read (`| head`, a closed terminal), goes to `otherwise`, which may throw. */
export function openTerminal(out: NodeJS.WriteStream, otherwise: (line: string) => void = () => {}): Terminal {
  out.on('error', () => {});
  const instead = (line: string) => {
    try {
      otherwise(line);
    } catch {
      // A full disk takes it no more than `out` does.
    }
  };
  let open = false;
  const clear = () => {
    if (open) out.write('\r\x1b[K');
    open = false;
  };
  let lost = false;
  const write = (line: string) => {
    if (lost) return instead(line);
    out.write(line, (error) => {
      lost ||= error != null;
      if (error) instead(line);
    });
  };
  const format = (name: string, text: string) => `  ${name.padEnd(NAME_WIDTH)} ${text}`;
  return {
    line(name, text) {
      clear();
      write(`${format(name, text)}\n`);
    },
    progress(name, text) {
      if (!out.isTTY) return;
      out.write(`\r\x1b[K${format(name, text).slice(0, (out.columns || 80) - 1)}`);
      open = true;
    },
    print(text) {
      clear();
      write(`${text}\n`);
    },
  };
}
