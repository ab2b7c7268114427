/** How the bytes of a response are written to the socket. */
export type Chunks =
  /** One piece for each part of an event. */
  | 'events'
  /** Pieces of at most so many bytes. Each is one chunk on the wire and one read for the client. */
  | number
  /** Pieces of 1 to `maxBytes` bytes, the same for the same seed. */
  | { readonly seed: number; readonly maxBytes: number };

/** The encoding of events; every variant is valid (HTML standard, 9.2.5). */
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
