import { isUtf8 } from 'node:buffer';
import { RECORD_NAMESPACE, recordIn } from './xmp-record.ts';

/** A packet with a record in it. */
export interface XmpPacket {
  readonly bytes: Buffer;
  /** It also holds all that the image's own packet held. */
  readonly isMerged: boolean;
}

/** What a JPEG segment can hold (XMP specification part 3, 1.1.3). */
const MAX_SEGMENT_BYTES = 65_502;
/** What a record may take of that, escaped. */
export const MAX_RECORD_BYTES = 63 * 1024;
/** What a packet may have that is kept: it is read on the main thread. */
const MAX_KEPT_BYTES = 16 * 1024;

const CLOSING_TAG = '</rdf:RDF>';
/** Descriptions of one packet must all be about the same thing; ours is about the file that it lies in. */
const IS_ABOUT_ELSEWHERE = /\brdf:about\s*=\s*(?:"[^"]|'[^'])/;

/**
 * The packet for an image that has the packet `existing` so far, with `record` as `toXmpJson` writes it. What that holds is kept where ours can be added as one
 * more description, and replaced where not: by text that is no UTF-8, is too long, or does not read well with ours in it.
 */
export async function toXmpPacket(
  record: string,
  existing: Buffer | undefined,
): Promise<XmpPacket> {
  const merged = existing && merge(existing, record);
  if (merged !== undefined && (await recordIn(merged)) === record) {
    const bytes = Buffer.from(merged);
    if (bytes.length <= MAX_SEGMENT_BYTES) return { bytes, isMerged: true };
  }
  return { bytes: Buffer.from(ownPacket(record)), isMerged: false };
}

/**
 * JSON of the same meaning that can stand in a CDATA section: without its end, and without the two characters that JSON
 * leaves as they are and XML 1.0 (2.2) does not have; C0 controls and lone surrogates are escaped in any JSON. What looks
 * like a tag is escaped too: exiftool searches CDATA sections for markup, and would lose the record.
 */
export function toXmpJson(json: string): string {
  return json
    .replaceAll(']]>', ']]\\u003e')
    .replaceAll(/<(?=[^\s<=>])/g, '\\u003c')
    .replaceAll('\ufffe', '\\ufffe')
    .replaceAll('\uffff', '\\uffff');
}

function merge(existing: Buffer, record: string): string | undefined {
  if (existing.length > MAX_KEPT_BYTES || !isUtf8(existing)) return undefined;
  const text = existing.toString('utf8');
  const at = text.lastIndexOf(CLOSING_TAG);
  const isPlain = at >= 0 && !text.includes(RECORD_NAMESPACE) && !IS_ABOUT_ELSEWHERE.test(text);
  return isPlain ? `${text.slice(0, at)}${description(record)}\n${text.slice(at)}` : undefined;
}

/** XMP specification part 1, 7.3: the mark of a packet, and one that may not be changed in place. */
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
