/** A family of the text format of Prometheus: what its head says, and the labels of its samples. */
export type Family = { name: string; help: string | null; type: string; samples: Sample[] };
type Sample = { name: string; labels: Map<string, string>; value: number };

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;

/** Takes a text apart. Throws for a line that is none of the format, for a sample without its head, and for a name that comes twice. */
export function parseMetrics(text: string): Family[] {
  const families = new Map<string, Family>();
  let help: [string, string] | null = null;
  let family: Family | null = null;
  for (const line of text.split('\n').filter(Boolean)) {
    const [, about, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? [];
    if (about === 'HELP') help = [name, rest];
    else if (about === 'TYPE') {
      if (families.has(name)) throw new Error(`${name} comes twice`);
      family = { name, help: help?.[0] === name ? help[1] : null, type: rest, samples: [] };
      families.set(name, family);
    } else family?.samples.push(sampleOf(line, family));
    if (about === undefined && !family) throw new Error(`no head: ${line}`);
  }
  return [...families.values()];
}

function sampleOf(line: string, family: Family): Sample {
  const [, name = '', text = '', value = ''] = SAMPLE.exec(line) ?? [];
  const suffixes = { histogram: ['_bucket', '_sum', '_count'], summary: ['', '_sum', '_count'] }[family.type] ?? [''];
  if (!suffixes.some((suffix) => name === family.name + suffix)) throw new Error(`is not of ${family.name}: ${line}`);
  const labels = new Map<string, string>();
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const [, label = '', quoted = ''] = LABEL.exec(text) ?? [];
    if (label === '' || labels.has(label)) throw new Error(`bad labels: ${line}`);
    labels.set(
      label,
      quoted.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped)),
    );
  }
  const number = Number(value.replace('+Inf', 'Infinity'));
  if (Number.isNaN(number) && value !== 'NaN') throw new Error(`bad value: ${line}`);
  return { name, labels, value: number };
}

const BASE_UNIT = /^(amperes|bytes|celsius|grams|joules|kelvin|meters|metres|seconds|volts)$/;
const OTHER_UNIT = new RegExp(
  `^(pico|nano|micro|milli|centi|deci|deca|hecto|kilo|kibi|mega|mibi|giga|gibi|tera|tebi|peta|pebi)?(${BASE_UNIT.source.slice(2, -2)}|minutes|hours|days|weeks|kelvins|fahrenheit|rankine|inches|yards|miles|bits|calories|pounds|ounces)$`,
);
const ABBREVIATIONS = /_(s|ms|us|ns|sec|b|kb|mb|gb|tb|pb|m|h|d)(_|$)/;

/** What promlint of Prometheus (client_golang, prometheus/testutil/promlint) has against a text: its nine rules, by their names there. */
export function promlint(text: string): string[] {
  return parseMetrics(text).flatMap((family) => faultsOf(family).map((fault) => `${family.name}: ${fault}`));
}

function faultsOf({ name, help, type, samples }: Family): string[] {
  const labels = new Set(samples.flatMap((sample) => [...sample.labels.keys()]));
  const isTyped = type !== 'untyped';
  const unit = name.split('_').find((word) => OTHER_UNIT.test(word));
  const keys = samples.map((sample) => `${sample.name} ${JSON.stringify([...sample.labels].sort())}`);
  const rules: [string, boolean][] = [
    ['LintHelp', !help],
    ['LintMetricUnits', unit !== undefined && !BASE_UNIT.test(unit)],
    ['LintCounter', isTyped && (type === 'counter') !== name.endsWith('_total')],
    ['LintHistogramSummaryReserved: suffix', type !== 'histogram' && /_bucket$/.test(name)],
    ['LintHistogramSummaryReserved: suffix', !['histogram', 'summary'].includes(type) && /_(count|sum)$/.test(name)],
    ['LintHistogramSummaryReserved: le', isTyped && type !== 'histogram' && labels.has('le')],
    ['LintHistogramSummaryReserved: quantile', isTyped && type !== 'summary' && labels.has('quantile')],
    ['LintMetricTypeInName', isTyped && new RegExp(`_${type}(_|$)`).test(name.toLowerCase())],
    ['LintReservedChars', name.includes(':')],
    ['LintCamelCase', [name, ...labels].some((each) => /[a-z][A-Z]/.test(each))],
    ['LintUnitAbbreviations', ABBREVIATIONS.test(name.toLowerCase())],
    ['LintDuplicateMetric', new Set(keys).size < keys.length],
  ];
  return rules.filter(([, isBroken]) => isBroken).map(([rule]) => rule);
}
