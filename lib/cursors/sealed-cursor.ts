import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import { invalidField } from '../contract/schema/issues.ts';

export type SealedCursors = ReturnType<typeof createSealedCursors>;

const SEAL_BYTES = 16;
const CIPHER = 'aes-256-ctr';

/**
 * Creates opaque cursors. A client can neither read nor choose the position in a cursor, because positions of jobs reveal how many
 * jobs all callers have. Cursors stay valid after a restart. The construction is SIV (RFC 5297): the seal of list and position is
 * also the initialisation vector of the cipher. Therefore equal positions have equal cursors, and no randomness is needed.
 */
export function createSealedCursors(secret: Uint8Array) {
  const sealKey = toKey(secret, 'seal');
  const cipherKey = toKey(secret, 'cipher');

  function seal(list: readonly unknown[], position: Uint8Array): Buffer {
    // JSON represents absent values, so that different lists have different texts.
    const words = JSON.stringify(list);
    const digest = createHmac('sha256', sealKey).update(`${position.length}:`).update(position);
    return digest.update(words).digest().subarray(0, SEAL_BYTES);
  }

  /** Returns the position in the cursor. Undefined if the cursor was not written for exactly this list. */
  function open(list: readonly unknown[], cursor: string): Buffer | undefined {
    const bytes = Buffer.from(cursor, 'base64url');
    // The decoder skips invalid characters, but only the canonical form of a cursor is accepted.
    if (bytes.length <= SEAL_BYTES || bytes.toString('base64url') !== cursor) return undefined;
    const given = bytes.subarray(0, SEAL_BYTES);
    const decipher = createDecipheriv(CIPHER, cipherKey, given);
    const position = decipher.update(bytes.subarray(SEAL_BYTES));
    return timingSafeEqual(given, seal(list, position)) ? position : undefined;
  }

  return {
    /**
     * Returns the cursor of the page of this list that begins after the position. Its length reveals the length of the position.
     */
    write(list: readonly unknown[], position: Uint8Array): string {
      const sealed = seal(list, position);
      const cipher = createCipheriv(CIPHER, cipherKey, sealed);
      return Buffer.concat([sealed, cipher.update(position)]).toString('base64url');
    },

    open,

    /** Returns the position in the cursor, as `open` does. Throws `invalid_request` instead of returning undefined. */
    read(list: readonly unknown[], cursor: string): Buffer {
      const position = open(list, cursor);
      if (position) return position;
      throw invalidField(
        'cursor',
        'invalid_cursor',
        'is not a cursor of this list with these filters',
      );
    },
  };
}

/** Derives a separate key for each use, because the same secret is also used for other signatures. */
function toKey(secret: Uint8Array, use: string): Buffer {
  return createHmac('sha256', secret).update(`cursor ${use}`).digest();
}
