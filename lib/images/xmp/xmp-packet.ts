import { isUtf8 } from 'node:buffer';
import type { XmpContent, XmpPacket } from './xmp-content.ts';
import {
  RECORD_PROPERTY,
  SOURCE_TYPE_PROPERTY,
  valuesIn,
  type XmpProperty,
} from './xmp-properties.ts';

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

/** Returns a packet with only this content. `end="r"` forbids changes in place (XMP specification part 1, 7.3). */
export function newPacket(content: XmpContent): XmpPacket {
  const text = `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
${descriptions(content)}
</rdf:RDF>
</x:xmpmeta>
<?xpacket end="r"?>`;
  return { bytes: Buffer.from(text), isMerged: false };
}

/**
 * Resolves with the packet `existing` with the content as further descriptions, or undefined if the packet is not UTF-8, is too
 * long or has too many parts, or if the content cannot be read back.
 */
export async function mergedPacket(
  content: XmpContent,
  existing: Buffer,
): Promise<XmpPacket | undefined> {
  const merged = merge(existing, content);
  if (merged === undefined || Buffer.byteLength(merged) > MAX_SEGMENT_BYTES) return undefined;
  const { record, sourceType } = content;
  const found = await valuesIn(merged, [RECORD_PROPERTY, SOURCE_TYPE_PROPERTY]);
  const isReadable =
    (record === undefined || found[0] === record) &&
    (sourceType === undefined || found[1] === sourceType);
  return isReadable ? { bytes: Buffer.from(merged), isMerged: true } : undefined;
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

function merge(existing: Buffer, content: XmpContent): string | undefined {
  if (existing.length > MAX_MERGED_BYTES || !isUtf8(existing)) return undefined;
  const text = existing.toString('utf8');
  if ((text.match(PART)?.length ?? 0) > MAX_MERGED_PARTS) return undefined;
  const at = text.lastIndexOf(CLOSING_TAG);
  const hasRecord = text.includes(RECORD_PROPERTY.namespace);
  const isPlain =
    at >= 0 && !IS_ABOUT_ELSEWHERE.test(text) && !(hasRecord && content.record !== undefined);
  return isPlain ? `${text.slice(0, at)}${descriptions(content)}\n${text.slice(at)}` : undefined;
}

function descriptions({ record, sourceType }: XmpContent): string {
  const parts = [
    ...(record === undefined ? [] : [description('ib', RECORD_PROPERTY, `<![CDATA[${record}]]>`)]),
    ...(sourceType === undefined
      ? []
      : [description('Iptc4xmpExt', SOURCE_TYPE_PROPERTY, escapeXml(sourceType))]),
  ];
  return parts.join('\n');
}

function description(prefix: string, { namespace, name }: XmpProperty, value: string): string {
  return `<rdf:Description rdf:about="" xmlns:${prefix}="${namespace}">
<${prefix}:${name}>${value}</${prefix}:${name}>
</rdf:Description>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
