/** One metric family of an exposition. */
export interface Family {
  readonly help: string;
  readonly type: string;
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const COMMENT = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y;

/** Parses Prometheus text (version 0.0.4). Throws for text that a scraper would reject. */
export function parseExposition(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  const families = new Map<string, { help: string; type: string; samples: Sample[] }>();
  let current = '';
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, word, name = '', rest = ''] = COMMENT.exec(line) ?? [];
    if (word === 'HELP') {
      if (families.has(name)) throw new Error(`${name} stands there twice`);
      families.set(name, { help: rest, type: '', samples: [] });
      current = name;
      continue;
    }
    const family = families.get(current);
    if (!family) throw new Error(`no family before ${line}`);
    if (word === 'TYPE') family.type = rest;
    else family.samples.push(parseSample(line, current));
  }
  return families;
}

function parseSample(line: string, family: string): Sample {
  const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
  if (!name.startsWith(family)) throw new Error(`${line} is no sample of ${family}`);
  const number = value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value);
  if (value === '' || Number.isNaN(number)) throw new Error(`${line} has no number`);
  return { name, labels: parseLabels(labels), value: number };
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const [, name, value] = LABEL.exec(text) ?? [];
    if (name === undefined || value === undefined) throw new Error(`bad labels: ${text}`);
    labels[name] = value;
  }
  return labels;
}
