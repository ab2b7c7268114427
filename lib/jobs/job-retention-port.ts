/** What stays of the history. */
export interface JobRetention {
  /** Jobs that ended earlier than this are too old. */
  readonly completedBeforeSecs: number;
  /** How many jobs of the ordinary history stay: of those that have ended and are no favourites. */
  readonly maxRetained: number;
  /** How large the ordinary history may be, stored images included. */
  readonly maxRetainedBytes: number;
  /** Where the call before stopped; undefined for the first one of a sweep. */
  readonly after?: PrunePlaces | undefined;
  /** How many jobs one call looks at, at most. */
  readonly batch: number;
}

/** How far a sweep has come in the histories of scopes, in the order of the ends. Jobs up to there were removed or skipped. */
export type PrunePlaces = ReadonlyMap<string, EndedPlace>;

/** The place of a job in the order of the ends. */
export interface EndedPlace {
  readonly completedSecs: number;
  readonly sequence: number;
}

export interface PrunedJobs {
  /** Their sequences. */
  readonly removed: readonly number[];
  /** SHA-256 of the stored images, each once, that no other job came with. */
  readonly releasedInputs: readonly string[];
  /** Undefined when nothing more is to be removed. */
  readonly next: PrunePlaces | undefined;
}
