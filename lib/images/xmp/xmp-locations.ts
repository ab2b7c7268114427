/** XMP that an image holds now, with the frame that its container puts around it. */
export interface ExistingXmp {
  readonly start: number;
  readonly end: number;
  /** The packet; undefined for one that cannot be read, and for what only continues another. */
  readonly packet: Buffer | undefined;
}

/** Where XMP lies in an image, and where it belongs. */
export interface XmpLocations {
  readonly insertAt: number;
  /** In the order of the file. */
  readonly existing: readonly ExistingXmp[];
}

/** No honest image has more than a few; each of them costs an edit. */
export const MAX_EXISTING = 64;

/** A packet of ours has a tenth of it; whoever writes it anew may escape much and add some. */
export const MAX_PACKET_BYTES = 512 * 1024;

/** The packet that readers go by: the first one. */
export function firstPacket({ existing }: XmpLocations): Buffer | undefined {
  return existing.find(({ packet }) => packet !== undefined)?.packet;
}
