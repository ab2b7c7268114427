import { createHmac, timingSafeEqual } from 'node:crypto';
import { invalidField } from '../contract/issues.ts';
import type { JobFilter } from './job-store-port.ts';

/** What a list is cut from: a cursor leads on in this one alone. */
export interface ListedJobs extends JobFilter {
  readonly scope: string;
  readonly search?: string;
}

export type JobCursors = ReturnType<typeof createJobCursors>;

const SEQUENCE_BYTES = 8;
const SEAL_BYTES = 16;

/** Cursors that nobody without the secret can make or turn to another list; they outlive a restart. */
export function createJobCursors(secret: Uint8Array) {
  function seal(listed: ListedJobs, place: Uint8Array): Buffer {
    const { scope, status, visibility, favorite, search } = listed;
    // JSON has an own form for what is absent, so that no two lists are written alike.
    const words = JSON.stringify(['job cursor', scope, status, visibility, favorite, search]);
    const digest = createHmac('sha256', secret).update(place).update(words).digest();
    return digest.subarray(0, SEAL_BYTES);
  }

  return {
    /** For the page that begins below the job of this sequence. */
    write(listed: ListedJobs, sequence: number): string {
      const place = Buffer.alloc(SEQUENCE_BYTES);
      place.writeBigUInt64BE(BigInt(sequence));
      return Buffer.concat([place, seal(listed, place)]).toString('base64url');
    },

    /** The sequence that the cursor was written for. Throws `invalid_request` for any that is not of this very list. */
    read(listed: ListedJobs, cursor: string): number {
      const bytes = Buffer.from(cursor, 'base64url');
      const place = bytes.subarray(0, SEQUENCE_BYTES);
      const isOurs =
        bytes.length === SEQUENCE_BYTES + SEAL_BYTES &&
        // The decoder skips what is no base64; a cursor has one form.
        bytes.toString('base64url') === cursor &&
        timingSafeEqual(bytes.subarray(SEQUENCE_BYTES), seal(listed, place));
      if (!isOurs) {
        throw invalidField('cursor', 'invalid_cursor', 'is not one of this list and its filters');
      }
      return Number(place.readBigUInt64BE());
    },
  };
}
