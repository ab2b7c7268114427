import type { Problem } from '../problem.ts';
import { type Entries, fieldByPath } from '../settings/fields.ts';
import { PROVIDER_NAMES } from '../settings/provider-names.ts';
import { SETTINGS } from '../settings/settings.ts';
import type { Section, Segment } from '../values/field.ts';
import { isTable } from '../values/field-collections.ts';
import { fieldPath } from '../values/field-path.ts';
import type { ConfigFile } from './config-file.ts';
import type { Setting, Source } from './source.ts';
import { parseToml } from './toml.ts';
import { createTomlLines, tomlKeyOnLine } from './toml-lines.ts';

/** The settings of a TOML text. A problem that belongs to no field is reported for what named the file. */
export function fileSource(
  text: string,
  { namedBy, givenPath: source }: Pick<ConfigFile, 'namedBy' | 'givenPath'>,
): Source {
  const reading = parseToml(text);
  if (!reading.ok) {
    const { line, message } = reading;
    const key = tomlKeyOnLine(text, line);
    const field = key ? fieldPath(key) : namedBy;
    return { origin: 'file', settings: [], problems: [{ field, source, line, message }] };
  }
  const lines = createTomlLines(text);
  const settings: Setting[] = [];
  const problems: Problem[] = [];
  walk(SETTINGS, reading.table, []);
  return { origin: 'file', settings, problems };

  function walk(section: Section<Entries>, table: object, segments: readonly string[]): void {
    for (const [key, raw] of Object.entries(table)) {
      const path = [...segments, key];
      const node = Object.hasOwn(section.entries, key) ? section.entries[key] : undefined;
      const named = fieldByPath.get(fieldPath(path));
      if (named && node?.kind === 'field') settings.push(fileSetting(named, raw, path));
      else if (node?.kind !== 'section') report(path, unknownKey(section));
      else if (isTable(raw)) walk(node, raw, path);
      else report(path, 'must be a table of settings');
    }
  }

  function fileSetting(named: Setting['named'], raw: unknown, path: readonly Segment[]): Setting {
    return { named, raw, source, lineOf: (at) => lines.lineOf([...path, ...at]) };
  }

  function report(path: readonly Segment[], message: string): void {
    problems.push({ field: fieldPath(path), source, line: lines.lineOf(path), message });
  }
}

function unknownKey(section: Section<Entries>): string {
  return section.perProvider
    ? `is not a registered provider: ${PROVIDER_NAMES.join(', ')}`
    : 'is not a known setting';
}
