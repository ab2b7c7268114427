import type { Chunks } from '../upstream/byte-sink.ts';
import { type Framing, PLAIN_FRAMING } from '../upstream/framing.ts';

/** The form of responses; the step of a script may change it for one call. */
export interface Settings {
  /** The size of a finished image: exact for PNG from 30 kB on, approximate for other formats. */
  readonly imageBytes: number;
  /** The images repeat after so many calls. */
  readonly imageVariants: number;
  /** The status of a finished item; the real backend uses both. */
  readonly itemStatus: 'completed' | 'generating';
  /** Whether `response.completed` repeats the items. */
  readonly completedOutput: 'full' | 'empty';
  readonly hasContentType: boolean;
  /** Whether the stream has heartbeat comments, unknown events and a reasoning item too. */
  readonly hasExtras: boolean;
  readonly framing: Framing;
  readonly chunks: Chunks;
  readonly chunkPauseMs: number;
  /** Between two events. */
  readonly pauseMs: number;
  readonly heartbeatMs: number;
  /** How long a silent behaviour sends nothing. */
  readonly silenceMs: number;
}

export const DEFAULT_SETTINGS: Settings = {
  imageBytes: 300_000,
  imageVariants: 32,
  itemStatus: 'generating',
  completedOutput: 'full',
  hasContentType: true,
  hasExtras: true,
  framing: PLAIN_FRAMING,
  chunks: 'events',
  chunkPauseMs: 0,
  pauseMs: 0,
  heartbeatMs: 1000,
  silenceMs: 60_000,
};
