import type * as v from 'valibot';

/** A place for a text in the values of a schema. */
export interface TextSite {
  /** Names of the fields that lead to the place. */
  readonly path: string;
  /** Returns a value with the text in this place, and otherwise only the fields that the place depends on. */
  readonly put: (text: string) => unknown;
}

/** The members of valibot schemas that lead to other schemas. */
interface Parts {
  readonly type: string;
  readonly wrapped?: Schema;
  readonly entries?: Readonly<Record<string, Schema>>;
  readonly options?: readonly (Schema | string)[];
  readonly item?: Schema;
  readonly literal?: unknown;
}

type Schema = v.GenericSchema & Parts;
type Put = (text: string) => unknown;

/** Returns every place where a caller can put a text: in each field of any type, and as the name of a field. */
export function* textSites(schema: v.GenericSchema): Generator<TextSite> {
  yield* sitesOf(schema as Schema, '', (inner) => inner);
}

function* sitesOf(
  schema: Schema,
  path: string,
  wrap: (value: unknown) => unknown,
): Generator<TextSite> {
  const { wrapped, entries, options, item, type } = schema;
  if (wrapped) {
    yield* sitesOf(wrapped, path, wrap);
    return;
  }
  const site = (name: string, put: Put): TextSite => ({ path: path + name, put });
  yield site('', wrap);
  if (entries) {
    const others = literalsOf(entries);
    yield site('.<name>', (text) => wrap({ ...others, [text]: 1 }));
    yield site('.<unknown>', (text) => wrap({ ...others, a_field_of_tomorrow: text }));
    for (const [name, entry] of Object.entries(entries)) {
      yield* sitesOf(entry, `${path}.${name}`, (value) => wrap({ ...others, [name]: value }));
    }
  }
  for (const option of options ?? []) {
    if (typeof option === 'object') yield* sitesOf(option, path, wrap);
  }
  if (item) yield* sitesOf(item, `${path}[0]`, (value) => wrap([value]));
  if (type === 'custom' || type === 'record') {
    yield site('.<name>', (text) => wrap({ [text]: 'x' }));
    yield site('.<value>', (text) => wrap({ a: text }));
  }
}

/** The fields that choose between schemas. */
function literalsOf(entries: Readonly<Record<string, Schema>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(entries)
      .filter(([, entry]) => entry.type === 'literal')
      .map(([name, entry]) => [name, entry.literal]),
  );
}
