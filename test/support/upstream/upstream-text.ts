/** A part of every text that a client must not forward. Tests search for it. */
export const UPSTREAM_TEXT = 'text of the upstream that is never passed on';
