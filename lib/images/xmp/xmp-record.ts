/** Of the property `ib:record` (contract.md 6). */
export const RECORD_NAMESPACE = 'urn:image-bridge:xmp:1#';
const RECORD_NAME = 'record';

const TEXT = '#text';
const CDATA = '#cdata';
const ATTRIBUTES = ':@';
const ATTRIBUTE_MARK = '@_';

const PARSING = {
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: ATTRIBUTE_MARK,
  textNodeName: TEXT,
  cdataPropName: CDATA,
  ignorePiTags: true,
  parseTagValue: false,
  trimValues: false,
  // Entities could expand a packet of kilobytes to gigabytes. The five predefined ones are resolved below.
  processEntities: false,
  maxNestedTags: 100,
} as const;

/** The prefixes that an element declares, and those of the elements around it. */
interface Scope {
  readonly own: ReadonlyMap<string, string>;
  readonly outer: Scope | undefined;
}

interface Element {
  readonly name: string;
  readonly attributes: readonly (readonly [name: string, value: string])[];
  readonly children: readonly unknown[];
}

/**
 * The text of `ib:record` in a packet. Other tools rewrite its CDATA section as escaped text or as an attribute, and may use
 * another prefix: all these forms are read. Undefined if there is no record, or if the packet is not valid XML.
 */
export async function recordIn(packet: string): Promise<string | undefined> {
  // XMP has no document type; its declarations must not be processed.
  if (packet.includes('<!DOCTYPE')) return undefined;
  // Loaded here because most processes never read a record.
  const { XMLParser, XMLValidator } = await import('fast-xml-parser');
  try {
    if (XMLValidator.validate(packet) !== true) return undefined;
    const nodes: unknown = new XMLParser(PARSING).parse(packet);
    return Array.isArray(nodes) ? findRecord(nodes, undefined) : undefined;
  } catch {
    // The parser throws when elements are nested too deeply, or for names that it refuses.
    return undefined;
  }
}

function findRecord(nodes: readonly unknown[], outer: Scope | undefined): string | undefined {
  for (const node of nodes) {
    const element = toElement(node);
    if (element === undefined) continue;
    const scope = { own: declaredIn(element), outer };
    if (isRecord(element.name, scope)) return textOf(element.children);
    const attribute = element.attributes.find(([name]) => isRecord(name, scope));
    const found = attribute ? resolve(attribute[1]) : findRecord(element.children, scope);
    if (found !== undefined) return found;
  }
  return undefined;
}

function toElement(node: unknown): Element | undefined {
  if (typeof node !== 'object' || node === null) return undefined;
  const members = new Map<string, unknown>(Object.entries(node));
  const attributes = members.get(ATTRIBUTES);
  members.delete(ATTRIBUTES);
  const [[name, children] = []] = members;
  if (name === undefined || !Array.isArray(children)) return undefined;
  return { name, attributes: toAttributes(attributes), children };
}

function toAttributes(attributes: unknown): Element['attributes'] {
  if (typeof attributes !== 'object' || attributes === null) return [];
  return Object.entries(attributes).map(([name, value]) => [
    name.slice(ATTRIBUTE_MARK.length),
    String(value),
  ]);
}

function declaredIn({ attributes }: Element): ReadonlyMap<string, string> {
  return new Map(
    attributes
      .filter(([name]) => name.startsWith('xmlns:'))
      .map(([name, value]) => [name.slice('xmlns:'.length), value]),
  );
}

function isRecord(name: string, scope: Scope): boolean {
  const [prefix = '', local] = name.split(':');
  return local === RECORD_NAME && namespaceOf(prefix, scope) === RECORD_NAMESPACE;
}

function namespaceOf(prefix: string, scope: Scope): string | undefined {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.outer) {
    const found = at.own.get(prefix);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Escaped text and CDATA sections, in their order. */
function textOf(children: readonly unknown[]): string {
  return children
    .map((child) => {
      if (typeof child !== 'object' || child === null) return '';
      const members = new Map<string, unknown>(Object.entries(child));
      const section = members.get(CDATA);
      if (Array.isArray(section)) return section.map(plainText).join('');
      return resolve(plainText(child));
    })
    .join('');
}

function plainText(node: unknown): string {
  if (typeof node !== 'object' || node === null) return '';
  const text: unknown = new Map<string, unknown>(Object.entries(node)).get(TEXT);
  return typeof text === 'string' ? text : '';
}

const PREDEFINED: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** XML 1.0, 4.1 and 4.6; an unknown reference is not changed. */
function resolve(text: string): string {
  return text.replace(/&(?:#x([0-9A-Fa-f]{1,6})|#([0-9]{1,7})|([a-z]{2,4}));/g, (...found) => {
    const [whole, hexadecimal, decimal, name]: (string | undefined)[] = found;
    const code = hexadecimal ? Number.parseInt(hexadecimal, 16) : Number(decimal);
    const character = name ? PREDEFINED.get(name) : characterOf(code);
    return character ?? whole ?? '';
  });
}

function characterOf(code: number): string | undefined {
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
