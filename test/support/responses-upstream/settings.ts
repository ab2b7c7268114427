/** How the bytes of a response are written to the socket. */
export type Chunks =
  /** One piece for each part of an event. */
  | 'events'
  /** Pieces of at most so many bytes; each is a chunk of its own on the wire, and so a read of its own for the client. */
  | number
  /** Pieces of 1 to `maxBytes` bytes, the same for the same seed. */
  | { readonly seed: number; readonly maxBytes: number };

/** How events are spelled; every variant is valid (HTML standard, 9.2.5). */
export interface Framing {
  readonly lineEnd: '\n' | '\r\n' | '\r';
  readonly hasEventLines: boolean;
  readonly hasSpace: boolean;
  /** Whether the JSON of an event is spread over several `data:` lines. */
  readonly hasManyDataLines: boolean;
  readonly beginsWithBom: boolean;
  readonly endsWithDone: boolean;
}

/** The form of responses; the step of a script may change it for one call. */
export interface Settings {
  /** Of a finished image: exact for PNG from 30 kB on, about that for the others, as far as it can be reached. */
  readonly imageBytes: number;
  /** After so many calls the images repeat. */
  readonly imageVariants: number;
  /** What a finished item says about itself; the real backend says both. */
  readonly itemStatus: 'completed' | 'generating';
  /** Whether `response.completed` repeats the items. */
  readonly completedOutput: 'full' | 'empty';
  readonly hasContentType: boolean;
  /** Heartbeat comments, unknown events and a reasoning item between what matters. */
  readonly hasExtras: boolean;
  readonly framing: Framing;
  readonly chunks: Chunks;
  readonly chunkPauseMs: number;
  /** Between two events. */
  readonly pauseMs: number;
  readonly heartbeatMs: number;
  /** How long a silent behaviour stays silent. */
  readonly silenceMs: number;
}

export const PLAIN_FRAMING: Framing = {
  lineEnd: '\n',
  hasEventLines: true,
  hasSpace: true,
  hasManyDataLines: false,
  beginsWithBom: false,
  endsWithDone: false,
};

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
