import type { Chunks } from '../upstream/byte-sink.ts';
import { type Framing, PLAIN_FRAMING } from '../upstream/framing.ts';

/** The form of replies. A step of the script may change it for one call. */
export interface Settings {
  /** Size of an image. Exact for PNG from 30 kB, approximate for other formats. */
  readonly imageBytes: number;
  /** Width and height of an image. Undefined for the size of the request. */
  readonly edge: number | undefined;
  /** Number of images after which the images of one prompt repeat. */
  readonly imageVariants: number;
  /** True if each prompt gets images of its own. False if all prompts get the same images, which are drawn only once. */
  readonly drawsPrompts: boolean;
  /** Content-Type of a reply with JSON. Undefined for no header. */
  readonly contentType: string | undefined;
  /** True if JSON is indented and its slashes are escaped. */
  readonly isPretty: boolean;
  readonly isCompressed: boolean;
  /** True if an event stream has heartbeat comments and unknown events too. */
  readonly hasExtras: boolean;
  readonly framing: Framing;
  readonly chunks: Chunks;
  readonly chunkPauseMs: number;
  /** Time between two events. */
  readonly pauseMs: number;
  /** Time for which a silent behaviour sends nothing. */
  readonly silenceMs: number;
}

export const DEFAULT_SETTINGS: Settings = {
  imageBytes: 300_000,
  edge: undefined,
  imageVariants: 32,
  drawsPrompts: true,
  contentType: 'application/json',
  isPretty: false,
  isCompressed: false,
  hasExtras: true,
  framing: PLAIN_FRAMING,
  chunks: 'events',
  chunkPauseMs: 0,
  pauseMs: 0,
  silenceMs: 60_000,
};
