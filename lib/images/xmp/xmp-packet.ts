import { isUtf8 } from 'node:buffer';
import { RECORD_NAMESPACE, recordIn } from './xmp-record.ts';

/** A packet with a record in it. */
export interface XmpPacket {
  readonly bytes: Buffer;
  /** It also contains everything of the image's own packet. */
  readonly isMerged: boolean;
}

/** The longest packet in a JPEG segment (XMP specification part 3, 1.1.3). */
const MAX_SEGMENT_BYTES = 65_502;
/** The longest escaped record in it. */
export const MAX_RECORD_BYTES = 63 * 1024;
/** The longest existing packet that is merged: it is parsed on the main thread. */
const MAX_MERGED_BYTES = 16 * 1024;
/** The most elements and attributes of one: each takes about 10 µs of parsing. Ordinary packets have a hundred or two. */
const MAX_MERGED_PARTS = 1000;

/** The start of an element, and what an attribute has between its name and its value. */
const PART = /<[^/]|=/g;

const CLOSING_TAG = '</rdf:RDF>';
/** All descriptions of one packet must be about the same resource; ours is about the file that contains it. */
const IS_ABOUT_ELSEWHERE = /\brdf:about\s*=\s*(?:"[^"]|'[^'])/;

/**
 * The packet with `record`, as `toXmpJson` writes it, for an image whose packet is `existing`. The record is added to the
 * existing packet as one more description. A packet that is not UTF-8, is too long or has too many parts, or from which the
 * record could not be read again, is replaced.
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
 * The same JSON, with escapes for what a CDATA section cannot hold: its end mark, and two characters that JSON permits and
 * XML 1.0 (2.2) does not. JSON already escapes C0 controls and lone surrogates. Text that looks like a tag is escaped too:
 * exiftool searches CDATA sections for markup, and would lose the record.
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

/** XMP specification part 1, 7.3: a packet that must not be changed in place (`end="r"`). */
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
