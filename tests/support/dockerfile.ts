/** One instruction of a Dockerfile: `COPY`, and the rest of its line with continuations joined. */
export type Instruction = { name: string; text: string };
/** A build stage: what it starts from, and what is done in it. */
export type Stage = { name: string; from: string; instructions: Instruction[] };

/** Reads the stages of a Dockerfile. Here-documents and other escape characters are not understood. */
export function readStages(source: string): Stage[] {
  const stages: Stage[] = [];
  const lines = source.split('\n').filter((line) => !/^\s*(#|$)/.test(line));
  for (const line of lines.join('\n').replaceAll('\\\n', ' ').split('\n')) {
    const [, name = '', text = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (name === 'FROM') {
      const [, from = '', as = ''] = /^(\S+)(?: AS (\S+))?$/.exec(text) ?? [];
      stages.push({ name: as, from, instructions: [] });
    } else {
      stages.at(-1)?.instructions.push({ name, text: text.replaceAll(/\s+/g, ' ') });
    }
  }
  return stages;
}

/** The arguments of every instruction of this name, in order. */
export function textsOf(stage: Stage, name: string): string[] {
  return stage.instructions.filter((each) => each.name === name).map((each) => each.text);
}

/** What a COPY takes, whence (null: the build context) and where to. */
export type Copy = { from: string | null; sources: string[]; target: string };

/** Reads the text of one COPY. */
export function copyOf(text: string): Copy {
  const words = text.split(' ');
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length) ?? null;
  const paths = words.filter((word) => !word.startsWith('--'));
  return { from, sources: paths.slice(0, -1), target: paths.at(-1) ?? '' };
}

export const copiesOf = (stage: Stage): Copy[] => textsOf(stage, 'COPY').map(copyOf);
