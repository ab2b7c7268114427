/** Releases a slot. Later calls have no effect. */
export type Release = () => void;

/** The slots of limits that hold for all replicas together. A slot is free again when the lease of its replica ends. */
export interface Permits {
  /** Takes one of the `limit` slots of a gate. Resolves with undefined if no slot is free. */
  take(gate: string, limit: number): Promise<Release | undefined>;
  /**
   * Waits until a slot is free, and takes the slot. Continues to wait while the store is unavailable. Rejects with the signal's
   * reason if the signal aborts first.
   */
  acquire(gate: string, limit: number, signal: AbortSignal): Promise<Release>;
}
