/** The namespace of the property `ib:record` (docs/contract.md, section 6). */
const RECORD_NAMESPACE = 'urn:image-bridge:xmp:1#';

export interface XmpProperty {
  readonly namespace: string;
  readonly name: string;
}

export const RECORD_PROPERTY: XmpProperty = { namespace: RECORD_NAMESPACE, name: 'record' };
/** The source of the image (IPTC Photo Metadata Standard, "Digital Source Type"). */
export const SOURCE_TYPE_PROPERTY: XmpProperty = {
  namespace: 'http://iptc.org/std/Iptc4xmpExt/2008-02-29/',
  name: 'DigitalSourceType',
};

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
  // Entities could expand a packet of kilobytes to gigabytes. The five predefined entities are resolved below.
  processEntities: false,
  maxNestedTags: 100,
} as const;

/** The namespace prefixes declared by an element, and the scope of the element around it. */
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
 * Reads the text of a property in a packet. Other tools rewrite a CDATA section as escaped text or as an attribute and may use
 * another prefix; all these forms are read. Resolves with undefined if the packet does not have the property, or is not valid XML.
 */
export async function valueIn(packet: string, property: XmpProperty): Promise<string | undefined> {
  const [value] = await valuesIn(packet, [property]);
  return value;
}

/** Reads several properties as `valueIn` does, and parses the packet once. */
export async function valuesIn(
  packet: string,
  properties: readonly XmpProperty[],
): Promise<readonly (string | undefined)[]> {
  // XMP has no document type. A document type is rejected because its declarations must not be processed.
  if (packet.includes('<!DOCTYPE')) return [];
  // The parser is loaded here because most processes never read a record.
  const { XMLParser, XMLValidator } = await import('fast-xml-parser');
  try {
    if (XMLValidator.validate(packet) !== true) return [];
    const nodes: unknown = new XMLParser(PARSING).parse(packet);
    if (!Array.isArray(nodes)) return [];
    return properties.map((property) => findValue(nodes, property, undefined));
  } catch {
    // The parser throws if elements are nested too deeply or a name is not permitted.
    return [];
  }
}

function findValue(
  nodes: readonly unknown[],
  property: XmpProperty,
  outer: Scope | undefined,
): string | undefined {
  for (const node of nodes) {
    const element = toElement(node);
    if (element === undefined) continue;
    const scope = { own: declaredIn(element), outer };
    if (isProperty(element.name, property, scope)) return textOf(element.children);
    const attribute = element.attributes.find(([name]) => isProperty(name, property, scope));
    const found = attribute
      ? resolveReferences(attribute[1])
      : findValue(element.children, property, scope);
    if (found !== undefined) return found;
  }
  return undefined;
}

function toElement(node: unknown): Element | undefined {
  const members = membersOf(node);
  const attributes = [...membersOf(members.get(ATTRIBUTES))].map(
    ([name, value]) => [name.slice(ATTRIBUTE_MARK.length), String(value)] as const,
  );
  members.delete(ATTRIBUTES);
  const [[name, children] = []] = members;
  if (name === undefined || !Array.isArray(children)) return undefined;
  return { name, attributes, children };
}

function membersOf(node: unknown): Map<string, unknown> {
  return new Map(typeof node === 'object' && node !== null ? Object.entries(node) : []);
}

function declaredIn({ attributes }: Element): ReadonlyMap<string, string> {
  return new Map(
    attributes
      .filter(([name]) => name.startsWith('xmlns:'))
      .map(([name, value]) => [name.slice('xmlns:'.length), value]),
  );
}

function isProperty(qualified: string, { namespace, name }: XmpProperty, scope: Scope): boolean {
  const [prefix = '', local] = qualified.split(':');
  return local === name && namespaceOf(prefix, scope) === namespace;
}

function namespaceOf(prefix: string, scope: Scope): string | undefined {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.outer) {
    const found = at.own.get(prefix);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the text of all children: escaped text and CDATA sections, in their order. */
function textOf(children: readonly unknown[]): string {
  return children
    .map((child) => {
      const section = membersOf(child).get(CDATA);
      return Array.isArray(section)
        ? section.map(plainText).join('')
        : resolveReferences(plainText(child));
    })
    .join('');
}

function plainText(node: unknown): string {
  const text = membersOf(node).get(TEXT);
  return typeof text === 'string' ? text : '';
}

const PREDEFINED: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** Resolves character references and the predefined entities (XML 1.0, 4.1 and 4.6). An unknown reference is not changed. */
export function resolveReferences(text: string): string {
  return text.replace(/&(?:#x([0-9A-Fa-f]{1,6})|#([0-9]{1,7})|([a-z]{2,4}));/g, (...found) => {
    const [whole, hexadecimal, decimal, name]: (string | undefined)[] = found;
    const code = hexadecimal ? Number.parseInt(hexadecimal, 16) : Number(decimal);
    if (name) return PREDEFINED.get(name) ?? whole ?? '';
    return code <= 0x10ffff ? String.fromCodePoint(code) : (whole ?? '');
  });
}
