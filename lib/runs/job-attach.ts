/**
 * How a client that sends a request again, and has no key for it, finds the job that the request has made before
 * (contract.md 13, "Retry attach").
 */
export interface JobAttach {
  /** Whether the client has sent the request before. */
  readonly isRetry: boolean;
  /**
   * Resolves with the id of the job that an equal request of the client has made, or makes now, and otherwise with that of
   * the job that `accept` makes, which does not end when the client disconnects. A job that `isStale` is not found.
   */
  attach(
    fingerprint: string,
    accept: (signal: AbortSignal) => Promise<string>,
    isStale: (id: string) => Promise<boolean>,
  ): Promise<{ readonly value: string; readonly replayed: boolean }>;
}
