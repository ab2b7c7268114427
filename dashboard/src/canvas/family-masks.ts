import type { Family } from '../api/schemas.ts';
import type { Size } from '../images/measure-image.ts';

/** The maximum number of masks that the canvas offers. */
export const MAX_MASKS = 12;

/** A mask that was sent with an image of the family. */
export interface FamilyMask {
  readonly sha256: string;
  /** The path of the mask below /v1, to which `/thumbnail?edge=` can be appended. */
  readonly path: string;
  /** The prompt of the job to which the mask was sent. */
  readonly prompt: string;
}

/**
 * Returns the masks of a family that have the size of an image, newest first. Equal masks are returned once, with the newest of their
 * jobs, because that job is removed last.
 */
export function masksOf({ items }: Family, { width, height }: Size): readonly FamilyMask[] {
  const found = new Map<string, FamilyMask>();
  // The ids are UUIDs of version 7, which sort by time.
  for (const { id, mask, prompt } of items.toSorted((a, b) => (a.id < b.id ? 1 : -1))) {
    if (mask === undefined || mask.width !== width || mask.height !== height) continue;
    const { sha256, input } = mask;
    const path = `/v1/jobs/${id}/inputs/${input}`;
    if (!found.has(sha256)) found.set(sha256, { sha256, path, prompt });
  }
  return [...found.values()].slice(0, MAX_MASKS);
}
