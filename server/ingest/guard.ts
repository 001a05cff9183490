import type { z } from 'zod';

/** True only for a value that the schema accepts and leaves as it is; false means "ask Zod", not "invalid". */
export type Guard = (value: unknown) => boolean;

type AnySchema = z.core.$ZodTypes;
type AnyCheck = z.core.$ZodChecks;

const askZod: Guard = () => false;

/**
 * Compiles a schema into a guard that makes neither copies nor messages: the good results, nearly all of a batch, then
 * cost a fifth of a parse. It knows the kinds of schema that a Result is made of; anything else it leaves to Zod.
 */
export function compileGuard(schema: z.core.$ZodType): Guard {
  // Zod's own union of all schemas; `_zod.def` is what its documentation gives to those who walk a schema.
  const { def } = (schema as AnySchema)._zod;
  switch (def.type) {
    case 'object':
      return def.catchall ? askZod : objectGuard(def.shape);
    case 'array':
      return all(arrayGuard(compileGuard(def.element)), checksOf(def.checks));
    case 'string':
      return all((value) => typeof value === 'string', [...formatOf(def), ...checksOf(def.checks)]);
    case 'number':
      return all(Number.isFinite, checksOf(def.checks));
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'literal':
      return oneOf(def.values);
    case 'enum':
      return oneOf(Object.values(def.entries));
    case 'nullable':
      return either((value) => value === null, compileGuard(def.innerType));
    case 'optional':
      return either((value) => value === undefined, compileGuard(def.innerType));
    case 'union':
      return def.options.map(compileGuard).reduce(either);
    default:
      return askZod;
  }
}

function objectGuard(shape: Record<string, z.core.$ZodType>): Guard {
  const fields = Object.entries(shape).map(([key, schema]) => ({ key, guard: compileGuard(schema) }));
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const record = value as Record<string, unknown>;
    let known = 0;
    for (const { key, guard } of fields) {
      const field = record[key];
      if (!guard(field)) return false;
      if (field !== undefined) known += 1;
    }
    // A field that the schema does not know would have to be taken out: that is Zod's work.
    for (const _ in record) known -= 1;
    return known === 0;
  };
}

function arrayGuard(element: Guard): Guard {
  return (value) => Array.isArray(value) && value.every(element);
}

function oneOf(values: readonly unknown[]): Guard {
  const allowed = new Set(values);
  return (value) => allowed.has(value);
}

function either(one: Guard, other: Guard): Guard {
  return (value) => one(value) || other(value);
}

function all(first: Guard, rest: Guard[]): Guard {
  const [second, ...more] = rest;
  if (!second) return first;
  return all((value) => first(value) && second(value), more);
}

/** The check that a format such as z.uuid() is, beside those it carries. */
function formatOf(def: object): Guard[] {
  return 'check' in def && def.check === 'string_format' ? [checkGuard(def as z.core.$ZodCheckStringFormatDef)] : [];
}

function checksOf(checks: readonly z.core.$ZodCheck<never>[] | undefined): Guard[] {
  return (checks ?? []).map((check) => checkGuard((check as unknown as AnyCheck)._zod.def));
}

function checkGuard(def: AnyCheck['_zod']['def']): Guard {
  switch (def.check) {
    case 'string_format': {
      const { pattern } = def;
      // A pattern with the flags g or y remembers where it was.
      return pattern && !pattern.global && !pattern.sticky ? (value) => pattern.test(String(value)) : askZod;
    }
    case 'max_length': {
      const { maximum } = def;
      return (value) => (value as { length: number }).length <= maximum;
    }
    case 'number_format':
      return def.format === 'safeint' ? Number.isSafeInteger : askZod;
    case 'greater_than':
      return boundGuard(def, (value, bound) => value > bound);
    case 'less_than':
      return boundGuard(def, (value, bound) => value < bound);
    default:
      return askZod;
  }
}

function boundGuard(
  { value: bound, inclusive }: { value: unknown; inclusive: boolean },
  beyond: (value: number, bound: number) => boolean,
): Guard {
  if (typeof bound !== 'number') return askZod;
  return (value) => beyond(Number(value), bound) || (inclusive && value === bound);
}
