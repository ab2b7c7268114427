/** A shared capacity with several users, called holders. */
export interface SharedRoom {
  readonly limit: number;
  /** The amount used by all holders. */
  readonly used: number;
  /** The amount used by the requesting holder. */
  readonly own: number;
  /** True if there may be holders that have not used any capacity yet. */
  readonly isShared: boolean;
  /**
   * Returns the number of holders with a used amount, including the requesting holder. Called only if the capacity is nearly
   * exhausted.
   */
  readonly holders: () => number;
}

/**
 * Returns `room` if the holder may use `needed` more, `full` if the limit would be exceeded, and `share` if the remaining
 * capacity is reserved for other holders. The last tenth of the capacity is reserved for holders below their equal share. If
 * the capacity is shared, at least two holders are assumed, so that a later holder finds room. A limit below 10 reserves
 * nothing.
 */
export function checkRoom(
  { limit, used, own, isShared, holders }: SharedRoom,
  needed: number,
): 'room' | 'full' | 'share' {
  const filled = used + needed;
  if (filled > limit) return 'full';
  if (filled <= limit - Math.floor(limit / 10)) return 'room';
  return own + needed <= limit / Math.max(isShared ? 2 : 1, holders()) ? 'room' : 'share';
}

/** Returns true if a holder uses more than its equal share of a limit. */
export function isAboveShare(own: number, limit: number, holders: number): boolean {
  return own > limit / holders;
}
