import type { Chunks } from '../upstream/byte-sink.ts';
import { type Framing, PLAIN_FRAMING } from '../upstream/framing.ts';

/** The form of replies; the step of a script may change it for one call. */
export interface Settings {
  /** The size of an image: exact for PNG from 30 kB on, approximate for other formats. */
  readonly imageBytes: number;
  /** The images of one prompt repeat after so many. */
  readonly imageVariants: number;
  /** Of a reply with JSON; undefined for none. */
  readonly contentType: string | undefined;
  /** Whether JSON is indented, and its slashes are escaped. */
  readonly isPretty: boolean;
  readonly isCompressed: boolean;
  /** Whether an event stream has heartbeat comments and unknown events too. */
  readonly hasExtras: boolean;
  readonly framing: Framing;
  readonly chunks: Chunks;
  readonly chunkPauseMs: number;
  /** Between two events. */
  readonly pauseMs: number;
  /** How long a silent behaviour sends nothing. */
  readonly silenceMs: number;
}

export const DEFAULT_SETTINGS: Settings = {
  imageBytes: 300_000,
  imageVariants: 32,
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
