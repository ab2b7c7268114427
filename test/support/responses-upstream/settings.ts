import type { Chunks } from '../upstream/byte-sink.ts';
import { type Framing, PLAIN_FRAMING } from '../upstream/framing.ts';

/** The form of responses. A step of the script may change it for one call. */
export interface Settings {
  /** Size of a finished image. Exact for PNG from 30 kB, approximate for other formats. */
  readonly imageBytes: number;
  /** Number of calls after which the images repeat. */
  readonly imageVariants: number;
  /** Status of a finished item. The real backend uses both. */
  readonly itemStatus: 'completed' | 'generating';
  /** True if `response.completed` repeats the items. */
  readonly completedOutput: 'full' | 'empty';
  readonly hasContentType: boolean;
  /** True if the stream has heartbeat comments, unknown events and a reasoning item too. */
  readonly hasExtras: boolean;
  readonly framing: Framing;
  readonly chunks: Chunks;
  readonly chunkPauseMs: number;
  /** Time between two events. */
  readonly pauseMs: number;
  readonly heartbeatMs: number;
  /** Time for which a silent behaviour sends nothing. */
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
