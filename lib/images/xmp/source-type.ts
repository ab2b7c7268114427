import { resolveReferences, SOURCE_TYPE_PROPERTY } from './xmp-properties.ts';

const { name: NAME, namespace: NAMESPACE } = SOURCE_TYPE_PROPERTY;

/** The part of a packet that is searched, in bytes. */
const MAX_SEARCHED_BYTES = 1024 * 1024;
/** The part of a packet in UTF-16 or UTF-32 that is searched, in bytes. */
const MAX_WIDE_BYTES = 512 * 1024;
const MAX_OCCURRENCES = 16;
/** The bytes before and after an occurrence that are looked at. */
const BYTES_BEFORE = 65_536;
const BYTES_AFTER = 2048;
/** The longest prefix with its colon and the bracket of an element. */
const MAX_QUALIFIER_CHARS = 66;
/** A longer value is not a source type. */
const MAX_VALUE_CHARS = 256;

/**
 * Finds the source type in a packet. The packet is searched and not parsed, because a packet may be too long for a parser on the
 * main thread, and a source type in an invalid packet must not be lost either. Returns undefined if there is none.
 */
export function findSourceType(packet: Buffer): string | undefined {
  const bytes = toSingleBytes(packet);
  let at = bytes.indexOf(NAME);
  if (at < 0 || !bytes.includes(NAMESPACE)) return undefined;
  for (let count = 0; at >= 0 && count < MAX_OCCURRENCES; count += 1) {
    const value = valueAt(bytes, at);
    if (value !== undefined) return value;
    at = bytes.indexOf(NAME, at + NAME.length);
  }
  return undefined;
}

/** Returns a packet in UTF-16 or UTF-32 without its zero bytes, because names, namespaces and URLs are ASCII. */
function toSingleBytes(packet: Buffer): Buffer {
  const isWide = packet.subarray(0, 8).includes(0);
  if (!isWide) return packet.subarray(0, MAX_SEARCHED_BYTES);
  const wide = packet.subarray(0, MAX_WIDE_BYTES);
  const single = Buffer.allocUnsafe(wide.length);
  let length = 0;
  // `filter` would call a function for each byte, which takes many times as long.
  for (const byte of wide) {
    if (byte === 0) continue;
    single[length] = byte;
    length += 1;
  }
  return single.subarray(0, length);
}

/** Returns the value of the property whose local name is at `at`, or undefined if the name does not belong to the property. */
function valueAt(bytes: Buffer, at: number): string | undefined {
  const before = bytes.toString('latin1', Math.max(0, at - BYTES_BEFORE), at);
  const [qualifier, opening, prefix] =
    /(<?)([\w.-]{1,64}):$/.exec(before.slice(-MAX_QUALIFIER_CHARS)) ?? [];
  if (qualifier === undefined || prefix === undefined || !isDeclared(bytes, prefix)) {
    return undefined;
  }
  if (isInside(before, '<!--', '-->') || isInside(before, '<![CDATA[', ']]>')) return undefined;
  const from = at + NAME.length;
  const after = bytes.toString('utf8', from, from + BYTES_AFTER);
  if (opening === '<') return toSourceType(elementValue(after, prefix));
  return isInside(before, '<', '>') ? toSourceType(attributeValue(after)) : undefined;
}

/** Returns true if the packet declares the prefix for the namespace of the property. */
function isDeclared(bytes: Buffer, prefix: string): boolean {
  const declaration = `xmlns:${prefix}`;
  let at = bytes.indexOf(declaration);
  for (let count = 0; at >= 0 && count < MAX_OCCURRENCES; count += 1) {
    const from = at + declaration.length;
    const value = attributeValue(bytes.toString('latin1', from, from + NAMESPACE.length + 16));
    if (value === NAMESPACE) return true;
    at = bytes.indexOf(declaration, from);
  }
  return false;
}

function isInside(before: string, opening: string, closing: string): boolean {
  return before.lastIndexOf(opening) > before.lastIndexOf(closing);
}

/** Returns the value after the name of an attribute, or undefined if the text has another form. */
function attributeValue(after: string): string | undefined {
  const [, inDouble, inSingle] = /^\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(after) ?? [];
  return inDouble ?? inSingle;
}

/**
 * Returns the value after the name of an element: the text of the element or of the only item of its list, or a resource. Returns
 * undefined if the text has another form.
 */
function elementValue(after: string, prefix: string): string | undefined {
  const [tag, attributes] = /^(\s[^<>]*|\/?)>/.exec(after) ?? [];
  if (tag === undefined || attributes === undefined) return undefined;
  const [, resource] = /\brdf:resource(.*)/s.exec(attributes) ?? [];
  if (resource !== undefined) return attributeValue(resource);
  const end = after.indexOf(`</${prefix}:${NAME}`);
  if (attributes.endsWith('/') || end < 0) return undefined;
  return after.slice(tag.length, end).replace(/<!\[CDATA\[|\]\]>|<[^>]*>/g, '');
}

function toSourceType(value: string | undefined): string | undefined {
  const text = value && resolveReferences(value).trim();
  const isUsable = text && text.length <= MAX_VALUE_CHARS && !/\p{C}/u.test(text);
  return isUsable ? text : undefined;
}
