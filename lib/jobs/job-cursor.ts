import { createSealedCursors } from '../cursors/sealed-cursor.ts';
import type { JobFilter } from './job-store-port.ts';

/** What a page belongs to: a cursor is valid only for the same list. */
export interface ListedJobs extends JobFilter {
  readonly scope: string;
  readonly search?: string | undefined;
}

const SEQUENCE_BYTES = 8;

/** Cursors of job lists: each for the page that begins below the job of one sequence. */
export function createJobCursors(secret: Uint8Array) {
  const cursors = createSealedCursors(secret);
  return {
    write(listed: ListedJobs, sequence: number): string {
      const position = Buffer.alloc(SEQUENCE_BYTES);
      position.writeBigUInt64BE(BigInt(sequence));
      return cursors.write(toWords(listed), position);
    },

    /** The sequence that the cursor was written for. Throws `invalid_request` for any that is not of this very list. */
    read(listed: ListedJobs, cursor: string): number {
      return Number(cursors.read(toWords(listed), cursor).readBigUInt64BE());
    },
  };
}

function toWords({ scope, status, visibility, favorite, provider, search }: ListedJobs) {
  return ['jobs', scope, status, visibility, favorite, provider, search];
}
