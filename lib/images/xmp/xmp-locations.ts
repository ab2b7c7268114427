/** XMP that an image holds now, with the chunk or segment of its container around it. */
export interface ExistingXmp {
  readonly start: number;
  readonly end: number;
  /** The packet; undefined if it cannot be read, or if it only continues another one. */
  readonly packet: Buffer | undefined;
}

/** Where XMP is in an image, and where new XMP is inserted. */
export interface XmpLocations {
  readonly insertAt: number;
  /** In the order of the file. */
  readonly existing: readonly ExistingXmp[];
}

/** Ordinary images have at most a few; each of them needs an edit. */
export const MAX_EXISTING = 64;

/** Ten times a packet of ours: other tools that rewrite it may escape many characters and add text. */
export const MAX_PACKET_BYTES = 512 * 1024;

/** The first packet: readers ignore the others. */
export function firstPacket({ existing }: XmpLocations): Buffer | undefined {
  return existing.find(({ packet }) => packet !== undefined)?.packet;
}
