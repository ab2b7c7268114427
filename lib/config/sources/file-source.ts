import type { Problem } from '../problem.ts';
import { type Entries, memberOf, type NamedField, toNamed } from '../settings/fields.ts';
import { SETTINGS } from '../settings/settings.ts';
import type { Keyed, Section, Segment } from '../values/field.ts';
import { isTable } from '../values/field-collections.ts';
import { fieldPath } from '../values/field-path.ts';
import type { ConfigFile } from './config-file.ts';
import type { GivenEntry, Setting, Source } from './source.ts';
import { parseToml } from './toml.ts';
import { createTomlLines, tomlKeyOnLine } from './toml-lines.ts';

/**
 * Parses the settings of a TOML text. A problem without a field is reported for the flag or variable that named the file.
 */
export function fileSource(
  text: string,
  { namedBy, givenPath: source }: Pick<ConfigFile, 'namedBy' | 'givenPath'>,
): Source {
  const reading = parseToml(text);
  if (!reading.ok) {
    const { line, message } = reading;
    const key = tomlKeyOnLine(text, line);
    const field = key ? fieldPath(key) : namedBy;
    const problem = { field, source, line, message };
    return { origin: 'file', settings: [], entries: [], problems: [problem] };
  }
  const lines = createTomlLines(text);
  const settings: Setting[] = [];
  const entries: GivenEntry[] = [];
  const problems: Problem[] = [];
  walk(SETTINGS, reading.table, []);
  return { origin: 'file', settings, entries, problems };

  function walk(
    section: Section<Entries> | Keyed<Entries>,
    table: object,
    segments: readonly string[],
  ): void {
    for (const [key, raw] of Object.entries(table)) {
      const path = [...segments, key];
      const node = memberOf(section, key);
      if (typeof node === 'string') report(path, node);
      else if (node.kind === 'field') settings.push(fileSetting(toNamed(path, node), raw, path));
      else if (!isTable(raw)) report(path, 'must be a table of settings');
      else {
        if (section.kind === 'keyed') entries.push(fileEntry(section, segments, key));
        walk(node, raw, path);
      }
    }
  }

  function fileSetting(named: NamedField, raw: unknown, path: readonly Segment[]): Setting {
    return { named, raw, source, lineOf: (at) => lines.lineOf([...path, ...at]) };
  }

  function fileEntry({ keys }: Keyed<Entries>, path: readonly string[], name: string): GivenEntry {
    return { section: fieldPath(path), keys, name, source, line: lines.lineOf([...path, name]) };
  }

  function report(path: readonly Segment[], message: string): void {
    problems.push({ field: fieldPath(path), source, line: lines.lineOf(path), message });
  }
}
