import { ByteParts, type ReadableBytes } from '../../platform/byte-parts.ts';
import type { Steps } from '../../platform/time-slices.ts';
import type { Edges, ImageFault, Refused } from '../image.ts';
import type { XmpPacket } from '../xmp/xmp-content.ts';

/** The functions on the container of one image format. No function decodes pixels. */
export interface ContainerFormat {
  /** Checks an untrusted image to its last byte: structure, order, checksums and the texts. */
  check(bytes: Buffer): Steps<ContainerVerdict>;
  /** Returns the dimensions in the header of an untrusted image. Returns undefined if the header is not readable. */
  headerEdges(bytes: Buffer): Edges | undefined;
  /**
   * Finds the chunks or segments of the C2PA manifests of a valid image. Adjacent chunks or segments are one part. Returns an empty
   * list for a damaged image. Returns undefined if there are more than `MAX_MANIFEST_PARTS`.
   */
  findManifests(bytes: Buffer): Steps<readonly Span[] | undefined>;
  /**
   * Returns the manifest store in these parts: the bytes of the one box, without the chunk or the segments around it. Returns
   * undefined if there are several boxes.
   */
  manifestStore(bytes: Buffer, spans: readonly Span[]): Steps<Buffer | undefined>;
  /** Returns the edits that remove these parts. */
  manifestRemovals(bytes: Buffer, spans: readonly Span[]): readonly Edit[];
  /** Finds the XMP of a valid image. Returns undefined if there are more than `MAX_EXISTING` packets. */
  findXmp(bytes: ReadableBytes): Steps<ContainerXmp | undefined>;
}

/** Facts about an image from its container. The dimensions are not rotated according to the EXIF orientation. */
export interface ContainerFacts extends Edges {
  /** EXIF orientation, 1 to 8. Undefined if the image has no orientation tag. */
  readonly orientation?: number | undefined;
  readonly hasAlpha: boolean;
  /** True for a JPEG with four colour channels and no alpha. */
  readonly isCmyk?: boolean;
  /** True for a PNG with 16 bits per channel and a colour profile. */
  readonly hasDeepProfile?: boolean;
  /** Compressed texts and profiles as raw deflate streams. The streams are inflated later, off the main thread. */
  readonly deflated?: readonly Buffer[];
}

export type ContainerVerdict = { readonly ok: true; readonly facts: ContainerFacts } | Refused;

export function refused(fault: ImageFault): Refused {
  return { ok: false, fault };
}

/** A part of a file, from `start` up to `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * The type of a box with C2PA manifests (C2PA specification, 11.1.4.2), in the description box at its start. Readers compare the whole
 * type, so a box of another type is not a manifest.
 */
const MANIFEST_TYPE = Buffer.from('6332706100110010800000aa00389b71', 'hex');
/** The part of a box in which the type begins: after two headers, whose lengths may have 8 more bytes (ISO/IEC 19566-5, 4.2). */
const MAX_TYPE_END = 2 * 16 + MANIFEST_TYPE.length;

/** Returns true if a box contains C2PA manifests. The names of the boxes are not compared, because damaged manifests count too. */
export function isManifest(box: Buffer): boolean {
  return box.subarray(0, MAX_TYPE_END).includes(MANIFEST_TYPE);
}

/** The maximum number of parts in which manifests are found. An image of any writer has a few. */
const MAX_MANIFEST_PARTS = 4096;

/** Collects the parts of manifests in the order of the file. */
export function createManifestParts() {
  const parts: Span[] = [];
  return {
    add({ start, end }: Span): void {
      const last = parts.at(-1);
      if (last?.end === start) parts[parts.length - 1] = { start: last.start, end };
      else if (parts.length <= MAX_MANIFEST_PARTS) parts.push({ start, end });
    },
    /** Returns undefined if there are too many parts. */
    all: (): readonly Span[] | undefined => (parts.length > MAX_MANIFEST_PARTS ? undefined : parts),
  };
}

/** An XMP packet in an image, with the chunk or segment of the container around the packet. */
export interface ExistingXmp extends Span {
  /** Bytes of the packet. Undefined if the packet is not readable or is only the continuation of another packet. */
  readonly packet: Buffer | undefined;
  /** The part of a continuation that this chunk or segment contains. */
  readonly extension?: Buffer;
}

/** The XMP of an image. */
export interface ContainerXmp {
  /** Existing packets in the order of the file. Readers read only the first readable packet. */
  readonly existing: readonly ExistingXmp[];
  /** Returns the edits that make `packet` the only packet of the image. */
  replaceWith(packet: XmpPacket): readonly Edit[];
}

/** The maximum number of existing XMP packets in an image that is edited. Ordinary images have at most a few packets. */
export const MAX_EXISTING = 64;

/**
 * The maximum length of a packet that is read. The limit is several times the length of the longest packet that is written,
 * because other tools may rewrite a packet, escape many characters and add text.
 */
export const MAX_PACKET_BYTES = 512 * 1024;

export function beginsWith(bytes: Buffer, prefix: Buffer): boolean {
  return bytes.subarray(0, prefix.length).equals(prefix);
}

/** Replaces the bytes from `start` up to `end` with `insert`. */
export interface Edit extends Span {
  readonly insert: Buffer;
}

/** Returns the edit that removes a part of a file. */
export function removal({ start, end }: Span): Edit {
  return { start, end, insert: Buffer.alloc(0) };
}

/**
 * Applies edits to `bytes`, whose remaining parts are not copied. The edits can be in any order but must not overlap. The result
 * shares its memory with `bytes`.
 */
export function splice(bytes: Buffer, edits: readonly Edit[]): ByteParts {
  const parts: Buffer[] = [];
  let at = 0;
  for (const { start, end, insert } of edits.toSorted((a, b) => a.start - b.start)) {
    parts.push(bytes.subarray(at, start), insert);
    at = end;
  }
  parts.push(bytes.subarray(at));
  return new ByteParts(parts.filter(({ length }) => length > 0));
}
