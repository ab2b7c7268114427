/** A packet that the bridge writes. */
export interface XmpPacket {
  readonly bytes: Buffer;
  /** True if the packet also contains the full content of the existing packet of the image. */
  readonly isMerged: boolean;
}

/** The properties that are added to an image. */
export interface XmpContent {
  /** A text from `toXmpJson`. */
  readonly record?: string | undefined;
  /** The source type, usually a URL of the IPTC vocabulary. */
  readonly sourceType?: string | undefined;
}
