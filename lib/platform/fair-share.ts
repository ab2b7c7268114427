/** Room that several holders fill together. */
export interface SharedRoom {
  readonly limit: number;
  /** Filled by all holders. */
  readonly used: number;
  /** Filled by the holder that asks. */
  readonly own: number;
  /** True if there may be holders that have filled nothing yet. */
  readonly isShared: boolean;
  /** Counts the holders that have filled some of it, and the asking one. Called only if the room is nearly full. */
  readonly holders: () => number;
}

/**
 * Returns `room` if the holder may fill `needed` more, `full` if no holder may, and `share` if the rest of the room is kept for
 * others: the last tenth belongs to holders below their equal share. In a shared room a holder never counts as the only one,
 * because another one that comes later must find room. A limit below 10 keeps nothing.
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

/** Returns true if a holder has more than its equal share of a limit. */
export function isAboveShare(own: number, limit: number, holders: number): boolean {
  return own > limit / holders;
}
