/** The beginning of the keys under which the session storage of the tab keeps the waiting notes. */
export const NOTES_PREFIX = 'image-bridge.notes.';

/** Returns true if a tab has notes that wait to be sent. */
export function hasNotes(storage: Storage): boolean {
  return Object.keys(storage).some((key) => key.startsWith(NOTES_PREFIX));
}
