/** An XMP packet in an image, with the chunk or segment of the container around the packet. */
export interface ExistingXmp {
  readonly start: number;
  readonly end: number;
  /** Bytes of the packet. Undefined if the packet is not readable, or only continues another packet. */
  readonly packet: Buffer | undefined;
}

/** The existing XMP of an image, and the position for new XMP. */
export interface XmpLocations {
  readonly insertAt: number;
  /** Existing packets in the order of the file. */
  readonly existing: readonly ExistingXmp[];
}

/** The most XMP packets that are edited. Ordinary images have at most a few. */
export const MAX_EXISTING = 64;

/**
 * The longest packet that is read. It is ten times the longest packet that is written, because other tools that rewrite a
 * packet may escape many characters and add text.
 */
export const MAX_PACKET_BYTES = 512 * 1024;

/** Returns the first readable packet. Readers ignore the others. */
export function firstPacket({ existing }: XmpLocations): Buffer | undefined {
  return existing.find(({ packet }) => packet !== undefined)?.packet;
}

/** Replaces the bytes from `start` up to `end` with `insert`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly insert: Buffer;
}

export const NOTHING = Buffer.alloc(0);

/** Returns the number of bytes that the edits add to the length. It is negative if they remove bytes. */
export function growth(edits: readonly Edit[]): number {
  return edits.reduce((sum, { start, end, insert }) => sum + insert.length - (end - start), 0);
}

/** Applies edits to `bytes` and copies each byte once. The edits may have any order and may touch, but must not overlap. */
export function splice(bytes: Buffer, edits: readonly Edit[]): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (const { start, end, insert } of [...edits].sort((a, b) => a.start - b.start)) {
    parts.push(bytes.subarray(at, start), insert);
    at = end;
  }
  return Buffer.concat([...parts, bytes.subarray(at)]);
}
