import { isDeepStrictEqual } from 'node:util';
import type { Section } from '#contract/configuration.ts';
import type { Page } from '#contract/problem.ts';
import { MAX_LIMIT, type PageQuery } from '#contract/query.ts';
import { invalidField } from '#server/environment/errors.ts';

/** One kind of thing: how it is listed, written down by names, made, changed and deleted. `Stored` is as the API shows it. */
export type Things<Config extends { name: string }, Stored extends { id: string; name: string; demo: boolean }> = {
  section: Section;
  /** What there is, as a person with the right to change it sees it. */
  list(): Promise<Stored[]>;
  /** What is as by default is left out. */
  written(stored: Stored, known: Known): Partial<Config>;
  /** The whole of a document's part, by defaults. */
  parse(part: Partial<Config>): Config;
  /** As the thing is, secrets included as far as `config` has them, for comparing. */
  real?(stored: Stored, shown: Config, config: Config): Promise<Config>;
  /** `field` is where in the document the thing stands; `by` is who makes it. */
  create(config: Config, known: Known, field: string, by: string): Promise<unknown>;
  change(stored: Stored, config: Config, known: Known, field: string): Promise<unknown>;
  remove(id: string): Promise<void>;
  /** Whether what a document asks for is past, so that there is nothing to make. */
  isOver?(config: Config): boolean;
};

/** All that such a list gives, page by page. */
export async function allPages<Listed>(list: (query: PageQuery) => Promise<Page<Listed>>): Promise<Listed[]> {
  const all: Listed[] = [];
  for (let query: PageQuery = { limit: MAX_LIMIT }; ; ) {
    const { data, nextCursor } = await list(query);
    all.push(...data);
    if (nextCursor === null) return all;
    query = { limit: MAX_LIMIT, cursor: nextCursor };
  }
}

/** Ids by names, and names by ids, of what other things name. */
export type Known = Record<'targets' | 'alertRules' | 'vantages', NameIndex>;

/** Names and ids of things of one kind. */
export class NameIndex {
  readonly #ids = new Map<string, string>();
  readonly #names = new Map<string, string>();

  constructor(things: readonly { id: string; name: string }[]) {
    for (const { id, name } of things) {
      // Of two of one name the older one is meant.
      if (!this.#ids.has(name)) this.#ids.set(name, id);
      this.#names.set(id, name);
    }
  }

  /** Names; ids of what is not there any more: such a list is not applied again as one of all. */
  namesOf(ids: readonly string[]): string[] {
    return ids.map((id) => this.#names.get(id) ?? id);
  }

  /** Throws `invalid` for a name that there is not. */
  idsOf(names: readonly string[], field: string): string[] {
    return names.map((name, index) => {
      const id = this.#ids.get(name);
      if (id === undefined) throw invalidField(`${field}.${index}`, `is unknown: ${name}`);
      return id;
    });
  }
}

/** What of a thing is not as by default, but for fields that always stand there. */
export function withoutDefaults<T extends object>(whole: T, defaults: object, always: readonly string[]): Partial<T> {
  const usual = new Map(Object.entries(defaults));
  const kept = Object.entries(whole).filter(
    ([name, value]) => always.includes(name) || !isDeepStrictEqual(value, usual.get(name)),
  );
  return Object.fromEntries(kept) as Partial<T>;
}
