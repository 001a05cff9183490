import type { z } from 'zod';

/** True only for a value that the schema accepts and leaves as it is; false means "ask Zod", not "invalid". */
export type Guard = (value: unknown) => boolean;

type AnySchema = z.core.$ZodTypes;
type AnyCheck = z.core.$ZodChecks;

/** JavaScript that tells whether `value`, itself an expression without effects, is in order. */
type Write = (schema: z.core.$ZodType, value: string) => string;

const ASK_ZOD = 'false';

/**
 * Compiles a schema into a guard that makes neither copies nor messages: the good results, nearly all of a batch, then
 * cost a small part of a parse. It is written as source text, as Zod's own parsers are: only code of its own for each
 * object lets the engine read the fields at fixed places. Nothing of a request gets into it. It knows the kinds of schema
 * that a Result is made of; anything else it leaves to Zod. In the place of one of `parts`, a number passes as well.
 */
export function compileGuard(schema: z.core.$ZodType, parts: ReadonlySet<z.core.$ZodType> = new Set()): Guard {
  const source = new Source();
  const write: Write = (inner, value) => {
    const condition = writeSchema(source, write, inner, value);
    return parts.has(inner) ? `(typeof ${value} === 'number' || ${condition})` : condition;
  };
  const condition = write(schema, 'value');
  return source.compile(`return ${condition};`);
}

/** The text of a guard in the making: its functions, and the values that the text cannot spell. */
class Source {
  #functions: string[] = [];
  #constants: unknown[] = [];

  /** Adds a function of `value` and names it. */
  add(body: string): string {
    const name = `guard${this.#functions.length}`;
    this.#functions.push(`function ${name}(value) { ${body} }`);
    return name;
  }

  constant(value: unknown): string {
    return `constants[${this.#constants.push(value) - 1}]`;
  }

  compile(body: string): Guard {
    const text = `${this.#functions.join('\n')}\nreturn (value) => { ${body} };`;
    return new Function('constants', text)(this.#constants) as Guard;
  }
}

function writeSchema(source: Source, write: Write, schema: z.core.$ZodType, value: string): string {
  // Zod's own union of all schemas; `_zod.def` is what its documentation gives to those who walk a schema.
  const { def } = (schema as AnySchema)._zod;
  switch (def.type) {
    case 'object':
      return def.catchall ? ASK_ZOD : `${source.add(objectBody(write, def.shape))}(${value})`;
    case 'array': {
      const every = `for (const item of value) if (!(${write(def.element, 'item')})) return false; return true;`;
      const guard = source.add(`if (!Array.isArray(value)) return false; ${every}`);
      return all(`${guard}(${value})`, checksOf(source, def.checks, value));
    }
    case 'string':
      return all(`typeof ${value} === 'string'`, [
        ...formatOf(source, def, value),
        ...checksOf(source, def.checks, value),
      ]);
    case 'number':
      return all(`Number.isFinite(${value})`, checksOf(source, def.checks, value));
    case 'boolean':
      return `typeof ${value} === 'boolean'`;
    case 'literal':
      return `${source.constant(new Set(def.values))}.has(${value})`;
    case 'enum':
      return `${source.constant(new Set(Object.values(def.entries)))}.has(${value})`;
    case 'nullable':
      return `(${value} === null || ${write(def.innerType, value)})`;
    case 'optional':
      return `(${value} === undefined || ${write(def.innerType, value)})`;
    case 'union':
      return `(${def.options.map((option) => write(option, value)).join(' || ')})`;
    default:
      return ASK_ZOD;
  }
}

function objectBody(write: Write, shape: Record<string, z.core.$ZodType>): string {
  const fields = Object.entries(shape).map(([key, schema], index) => {
    const field = `field${index}`;
    return `const ${field} = value[${JSON.stringify(key)}];
      if (!(${write(schema, field)})) return false;
      if (${field} !== undefined) known += 1;`;
  });
  // A field that the schema does not know would have to be taken out: that is Zod's work.
  return `if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    let known = 0;
    ${fields.join('\n')}
    for (const key in value) known -= 1;
    return known === 0;`;
}

function all(first: string, rest: string[]): string {
  return `(${[first, ...rest].join(' && ')})`;
}

/** The check that a format such as z.uuid() is, beside those it carries. */
function formatOf(source: Source, def: object, value: string): string[] {
  if (!('check' in def && def.check === 'string_format')) return [];
  return [writeCheck(source, def as z.core.$ZodCheckStringFormatDef, value)];
}

function checksOf(source: Source, checks: readonly z.core.$ZodCheck<never>[] | undefined, value: string): string[] {
  return (checks ?? []).map((check) => {
    const { def } = (check as unknown as AnyCheck)._zod;
    // A refinement is a function of the value alone; one that is asynchronous, or more than that, is Zod's.
    if ('fn' in def && typeof def.fn === 'function') return `${source.constant(def.fn)}(${value}) === true`;
    return writeCheck(source, def, value);
  });
}

function writeCheck(source: Source, def: AnyCheck['_zod']['def'], value: string): string {
  switch (def.check) {
    case 'string_format': {
      const { pattern } = def;
      // A pattern with the flags g or y remembers where it was.
      return pattern && !pattern.global && !pattern.sticky ? `${source.constant(pattern)}.test(${value})` : ASK_ZOD;
    }
    case 'max_length':
      return `${value}.length <= ${Number(def.maximum)}`;
    case 'number_format':
      return def.format === 'safeint' ? `Number.isSafeInteger(${value})` : ASK_ZOD;
    case 'greater_than':
      return writeBound(def, value, '>');
    case 'less_than':
      return writeBound(def, value, '<');
    default:
      return ASK_ZOD;
  }
}

function writeBound({ value: bound, inclusive }: { value: unknown; inclusive: boolean }, value: string, than: string) {
  return typeof bound === 'number' ? `${value} ${than}${inclusive ? '=' : ''} ${bound}` : ASK_ZOD;
}
