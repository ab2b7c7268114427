/**
 * One member of the input of a model, reduced to the facts that the bridge reads. Alternatives of the schema (`anyOf`,
 * `oneOf`, `allOf`) are combined.
 */
export interface InputMember {
  readonly isRequired: boolean;
  /** The accepted texts in the order of the schema. `any` if every text is accepted, empty if no text is accepted. */
  readonly texts: 'any' | readonly string[];
  readonly isNumber: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  readonly default?: string | number;
  /** The limits of a list of texts. Absent if the member is not a list of texts. */
  readonly list?: { readonly minItems: number; readonly maxItems?: number };
  /** The members of an object. Absent if the member is not an object. */
  readonly members?: InputMembers;
}

export type InputMembers = ReadonlyMap<string, InputMember>;

// Limits on one schema. The largest documented schema has 60 members and a depth of 6.
const MAX_NODES = 4000;
const MAX_DEPTH = 10;
const MAX_VALUES = 100;
const MAX_TEXT_CHARACTERS = 64;

interface Schema {
  readonly [keyword: string]: unknown;
}

/** Finds the schemas that a reference names, and counts the schemas that were read. */
interface Reader {
  resolve(node: Schema): Schema | undefined;
  /** Returns false if the limit on the number of schemas has been reached. */
  take(): boolean;
}

/**
 * Returns the members of the object schema at the JSON pointer `at` in an OpenAPI document, such as
 * `/components/schemas/Input`. Returns undefined if the document is not such a document or exceeds the limits. References
 * to other documents are ignored. A cycle of references ends at the maximum depth.
 */
export function readInputMembers(document: unknown, at: string): InputMembers | undefined {
  let nodes = 0;
  const take = () => {
    nodes += 1;
    return nodes <= MAX_NODES;
  };
  const resolve = ({ $ref }: Schema) =>
    typeof $ref === 'string' && $ref.startsWith('#/')
      ? toSchema(valueAt(document, $ref.slice(1)))
      : undefined;
  const schema = toSchema(valueAt(document, at));
  const members = schema && membersOf(leavesOf(schema, { resolve, take }, 0), { resolve, take }, 0);
  return members && nodes <= MAX_NODES ? members : undefined;
}

/** Returns the value that a JSON pointer names (RFC 6901), or undefined. */
export function valueAt(document: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, token) => toSchema(value)?.[token], document);
}

/** Returns an object without a prototype, so that no inherited member is read. Returns undefined for other values. */
function toSchema(value: unknown): Schema | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return { __proto__: null, ...value } as Schema;
}

function toSchemas(value: unknown): readonly Schema[] {
  const schema = toSchema(value);
  return schema ? [schema] : [];
}

const COMBINATIONS = ['allOf', 'anyOf', 'oneOf'] as const;

/** Returns the schema itself and all schemas that it refers to or combines. */
function leavesOf(node: Schema, reader: Reader, depth: number): readonly Schema[] {
  if (depth > MAX_DEPTH || !reader.take()) return [];
  const referred = reader.resolve(node);
  const combined = COMBINATIONS.flatMap((keyword) => toList(node[keyword]));
  const others = [...(referred ? [referred] : []), ...combined.flatMap(toSchemas)];
  return [node, ...others.flatMap((other) => leavesOf(other, reader, depth + 1))];
}

function membersOf(
  leaves: readonly Schema[],
  reader: Reader,
  depth: number,
): InputMembers | undefined {
  const withMembers = leaves.filter((leaf) => toSchema(leaf['properties']));
  if (withMembers.length === 0) return undefined;
  const required = new Set(withMembers.flatMap((leaf) => toList(leaf['required'])));
  const entries = withMembers.flatMap((leaf) => Object.entries(toSchema(leaf['properties']) ?? {}));
  return new Map(
    entries.flatMap(([name, value]) => {
      const schema = toSchema(value);
      return schema ? [[name, toMember(schema, required.has(name), reader, depth + 1)]] : [];
    }),
  );
}

function toMember(schema: Schema, isRequired: boolean, reader: Reader, depth: number): InputMember {
  const leaves = leavesOf(schema, reader, depth);
  const members = membersOf(leaves, reader, depth);
  const list = listOf(leaves, reader, depth);
  const [byDefault] = leaves.flatMap(({ default: value }) => toScalar(value));
  return {
    isRequired,
    texts: textsOf(leaves),
    isNumber: leaves.some((leaf) => hasType(leaf, 'integer') || hasType(leaf, 'number')),
    ...limit('minimum', leaves),
    ...limit('maximum', leaves),
    ...limit('multipleOf', leaves),
    ...(byDefault === undefined ? {} : { default: byDefault }),
    ...(list ? { list } : {}),
    ...(members ? { members } : {}),
  };
}

function textsOf(leaves: readonly Schema[]): 'any' | readonly string[] {
  const listed = leaves.flatMap((leaf) => [...toList(leaf['enum']), leaf['const']]);
  const texts = listed.filter((value) => typeof value === 'string');
  if (texts.length > 0 && !leaves.some(isFreeText)) {
    const short = texts.filter((text) => text.length <= MAX_TEXT_CHARACTERS);
    return [...new Set(short)].slice(0, MAX_VALUES);
  }
  return leaves.some((leaf) => hasType(leaf, 'string')) ? 'any' : [];
}

/** Returns true for a text without a list of values. A combination repeats the type of its parts. */
function isFreeText(leaf: Schema): boolean {
  const isPlain = [...COMBINATIONS, '$ref', 'enum', 'const'].every(
    (key) => leaf[key] === undefined,
  );
  return hasType(leaf, 'string') && isPlain;
}

function listOf(leaves: readonly Schema[], reader: Reader, depth: number): InputMember['list'] {
  const lists = leaves.filter((leaf) => hasType(leaf, 'array'));
  const ofTexts = lists.find((leaf) => {
    const items = toSchema(leaf['items']);
    return items && leavesOf(items, reader, depth + 1).some((item) => hasType(item, 'string'));
  });
  if (!ofTexts) return undefined;
  const { minItems, maxItems } = ofTexts;
  return {
    minItems: isCount(minItems) ? minItems : 0,
    ...(isCount(maxItems) ? { maxItems } : {}),
  };
}

function limit<const Keyword extends 'minimum' | 'maximum' | 'multipleOf'>(
  keyword: Keyword,
  leaves: readonly Schema[],
): { readonly [Name in Keyword]?: number } {
  const stated = leaves.map((leaf) => leaf[keyword]).find((value) => Number.isFinite(value));
  const listed = leaves
    .flatMap((leaf) => toList(leaf['enum']))
    .filter((value) => typeof value === 'number');
  const found =
    stated ?? (keyword === 'maximum' && listed.length > 0 ? Math.max(...listed) : undefined);
  // The cast states that the computed member is the only one.
  return (found === undefined ? {} : { [keyword]: found }) as { [Name in Keyword]?: number };
}

/** Returns true if the schema has the type. OpenAPI 3.1 also allows a list of types. */
function hasType({ type }: Schema, name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name));
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function toScalar(value: unknown): readonly (string | number)[] {
  return typeof value === 'string' || typeof value === 'number' ? [value] : [];
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, MAX_NODES) : [];
}
