import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import { invalidField } from '../contract/schema/issues.ts';

export type SealedCursors = ReturnType<typeof createSealedCursors>;

const SEAL_BYTES = 16;
const CIPHER = 'aes-256-ctr';

/**
 * Opaque cursors: a position that no client can read or choose, because positions of jobs count the jobs of all callers.
 * They stay valid after a restart. The construction is that of SIV (RFC 5297): the seal of list and position is the
 * initialisation vector of the cipher too, so equal cursors are equal texts, and nothing has to be random.
 */
export function createSealedCursors(secret: Uint8Array) {
  const sealKey = toKey(secret, 'seal');
  const cipherKey = toKey(secret, 'cipher');

  function seal(list: readonly unknown[], position: Uint8Array): Buffer {
    // JSON has an own form for what is absent, so that no two lists are written alike.
    const words = JSON.stringify(list);
    const digest = createHmac('sha256', sealKey).update(`${position.length}:`).update(position);
    return digest.update(words).digest().subarray(0, SEAL_BYTES);
  }

  /** Returns the position in the cursor; undefined if the cursor was not written for this very list. */
  function open(list: readonly unknown[], cursor: string): Buffer | undefined {
    const bytes = Buffer.from(cursor, 'base64url');
    // The decoder skips what is no base64; a cursor has one form.
    if (bytes.length <= SEAL_BYTES || bytes.toString('base64url') !== cursor) return undefined;
    const given = bytes.subarray(0, SEAL_BYTES);
    const decipher = createDecipheriv(CIPHER, cipherKey, given);
    const position = decipher.update(bytes.subarray(SEAL_BYTES));
    return timingSafeEqual(given, seal(list, position)) ? position : undefined;
  }

  return {
    /** For the page of this very list that begins after the position. Its length tells that of the position. */
    write(list: readonly unknown[], position: Uint8Array): string {
      const sealed = seal(list, position);
      const cipher = createCipheriv(CIPHER, cipherKey, sealed);
      return Buffer.concat([sealed, cipher.update(position)]).toString('base64url');
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

/** A key of its own for each use: the secret signs other things too. */
function toKey(secret: Uint8Array, use: string): Buffer {
  return createHmac('sha256', secret).update(`cursor ${use}`).digest();
}
