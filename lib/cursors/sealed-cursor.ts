import { createHmac, timingSafeEqual } from 'node:crypto';
import { invalidField } from '../contract/schema/issues.ts';

export type SealedCursors = ReturnType<typeof createSealedCursors>;

const SEAL_BYTES = 16;

/** Opaque cursors. Without the secret none can be made or used for another list; they stay valid after a restart. */
export function createSealedCursors(secret: Uint8Array) {
  function seal(list: readonly unknown[], position: Uint8Array): Buffer {
    // JSON has an own form for what is absent, so that no two lists are written alike.
    const words = JSON.stringify(list);
    const digest = createHmac('sha256', secret).update(`${position.length}:`).update(position);
    return digest.update(words).digest().subarray(0, SEAL_BYTES);
  }

  /** The position that the cursor was written for; undefined for any that is not of this very list. */
  function open(list: readonly unknown[], cursor: string): Buffer | undefined {
    const bytes = Buffer.from(cursor, 'base64url');
    const end = Math.max(0, bytes.length - SEAL_BYTES);
    const position = bytes.subarray(0, end);
    const isOurs =
      bytes.length > SEAL_BYTES &&
      // The decoder skips what is no base64; a cursor has one form.
      bytes.toString('base64url') === cursor &&
      timingSafeEqual(bytes.subarray(end), seal(list, position));
    return isOurs ? position : undefined;
  }

  return {
    /** For the page of this very list that begins after the position. */
    write(list: readonly unknown[], position: Uint8Array): string {
      return Buffer.concat([position, seal(list, position)]).toString('base64url');
    },

    open,

    /** As `open`. Throws `invalid_request` where that finds none. */
    read(list: readonly unknown[], cursor: string): Buffer {
      const position = open(list, cursor);
      if (position) return position;
      throw invalidField('cursor', 'invalid_cursor', 'is not one of this list and its filters');
    },
  };
}
