import { isUtf8 } from 'node:buffer';

/** An XMP packet that contains a record. */
export interface XmpPacket {
  readonly bytes: Buffer;
  /** True if the packet also contains the full content of the existing packet of the image. */
  readonly isMerged: boolean;
}

/** The maximum length of a packet in a JPEG segment (XMP specification part 3, 1.1.3). */
const MAX_SEGMENT_BYTES = 65_502;
/** The maximum length of an escaped record in a packet. */
export const MAX_RECORD_BYTES = 63 * 1024;
/** The maximum length of an existing packet that is merged. The limit is low because the main thread parses the packet. */
const MAX_MERGED_BYTES = 16 * 1024;
/** The maximum number of elements and attributes in a merged packet. Parsing takes about 10 µs for each of these parts. */
const MAX_MERGED_PARTS = 1000;

/** The start of an element, or the `=` between the name and the value of an attribute. */
const PART = /<[^/]|=/g;

const CLOSING_TAG = '</rdf:RDF>';
/**
 * Matches a description of another resource. All descriptions of a packet must be about one resource, and the description of
 * the record is about the file that contains it.
 */
const IS_ABOUT_ELSEWHERE = /\brdf:about\s*=\s*(?:"[^"]|'[^'])/;

/**
 * Returns a packet with `record`, a text from `toXmpJson`. `existing` is the current packet of the image. The record is added
 * to the existing packet as one more description. The existing packet is discarded if it is not UTF-8, is too long or has too
 * many parts, or if the record cannot be read back from the merged packet.
 */
export async function toXmpPacket(
  record: string,
  existing: Buffer | undefined,
): Promise<XmpPacket> {
  const merged = existing && merge(existing, record);
  if (merged !== undefined && Buffer.byteLength(merged) <= MAX_SEGMENT_BYTES) {
    if ((await recordIn(merged)) === record) return { bytes: Buffer.from(merged), isMerged: true };
  }
  return { bytes: Buffer.from(ownPacket(record)), isMerged: false };
}

/**
 * Escapes the characters of a JSON text that a CDATA section cannot contain: the end mark of the section, and two characters
 * that JSON permits and XML 1.0 (2.2) does not. JSON itself escapes C0 controls and lone surrogates. Text that looks like a tag
 * is escaped too, because exiftool searches CDATA sections for markup and would lose the record.
 */
export function toXmpJson(json: string): string {
  return json
    .replaceAll(']]>', ']]\\u003e')
    .replaceAll(/<(?=[^\s<=>])/g, '\\u003c')
    .replaceAll('\ufffe', '\\ufffe')
    .replaceAll('\uffff', '\\uffff');
}

function merge(existing: Buffer, record: string): string | undefined {
  if (existing.length > MAX_MERGED_BYTES || !isUtf8(existing)) return undefined;
  const text = existing.toString('utf8');
  if ((text.match(PART)?.length ?? 0) > MAX_MERGED_PARTS) return undefined;
  const at = text.lastIndexOf(CLOSING_TAG);
  const isPlain = at >= 0 && !text.includes(RECORD_NAMESPACE) && !IS_ABOUT_ELSEWHERE.test(text);
  return isPlain ? `${text.slice(0, at)}${description(record)}\n${text.slice(at)}` : undefined;
}

/** Returns a packet with only this record. `end="r"` forbids changes in place (XMP specification part 1, 7.3). */
function ownPacket(record: string): string {
  return `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
${description(record)}
</rdf:RDF>
</x:xmpmeta>
<?xpacket end="r"?>`;
}

function description(record: string): string {
  return `<rdf:Description rdf:about="" xmlns:ib="${RECORD_NAMESPACE}">
<ib:record><![CDATA[${record}]]></ib:record>
</rdf:Description>`;
}

/** The namespace of the property `ib:record` (docs/contract.md, section 6). */
export const RECORD_NAMESPACE = 'urn:image-bridge:xmp:1#';

interface Property {
  readonly namespace: string;
  readonly name: string;
}

const RECORD: Property = { namespace: RECORD_NAMESPACE, name: 'record' };
/** The source of the image (IPTC Photo Metadata Standard, "Digital Source Type"). */
const SOURCE_TYPE: Property = {
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
 * Reads the text of `ib:record` in a packet. Other tools rewrite its CDATA section as escaped text or as an attribute and may use
 * another prefix; all these forms are read. Resolves with undefined if there is no record, or if the packet is not valid XML.
 */
export function recordIn(packet: string): Promise<string | undefined> {
  return valueIn(packet, RECORD);
}

/** Reads the source type of an image in its packet, a URL of the IPTC vocabulary. Resolves with undefined if there is none. */
export function sourceTypeIn(packet: string): Promise<string | undefined> {
  return valueIn(packet, SOURCE_TYPE);
}

async function valueIn(packet: string, property: Property): Promise<string | undefined> {
  // XMP has no document type. A document type is rejected because its declarations must not be processed.
  if (packet.includes('<!DOCTYPE')) return undefined;
  // The parser is loaded here because most processes never read a record.
  const { XMLParser, XMLValidator } = await import('fast-xml-parser');
  try {
    if (XMLValidator.validate(packet) !== true) return undefined;
    const nodes: unknown = new XMLParser(PARSING).parse(packet);
    return Array.isArray(nodes) ? findValue(nodes, property, undefined) : undefined;
  } catch {
    // The parser throws if elements are nested too deeply or a name is not permitted.
    return undefined;
  }
}

function findValue(
  nodes: readonly unknown[],
  property: Property,
  outer: Scope | undefined,
): string | undefined {
  for (const node of nodes) {
    const element = toElement(node);
    if (element === undefined) continue;
    const scope = { own: declaredIn(element), outer };
    if (isProperty(element.name, property, scope)) return textOf(element.children);
    const attribute = element.attributes.find(([name]) => isProperty(name, property, scope));
    const found = attribute ? resolve(attribute[1]) : findValue(element.children, property, scope);
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

function isProperty(qualified: string, { namespace, name }: Property, scope: Scope): boolean {
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
      return Array.isArray(section) ? section.map(plainText).join('') : resolve(plainText(child));
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
function resolve(text: string): string {
  return text.replace(/&(?:#x([0-9A-Fa-f]{1,6})|#([0-9]{1,7})|([a-z]{2,4}));/g, (...found) => {
    const [whole, hexadecimal, decimal, name]: (string | undefined)[] = found;
    const code = hexadecimal ? Number.parseInt(hexadecimal, 16) : Number(decimal);
    if (name) return PREDEFINED.get(name) ?? whole ?? '';
    return code <= 0x10ffff ? String.fromCodePoint(code) : (whole ?? '');
  });
}
