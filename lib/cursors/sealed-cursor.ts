import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import { invalidField } from '../contract/schema/issues.ts';

export type SealedCursors = ReturnType<typeof createSealedCursors>;

const SEAL_BYTES = 16;
const SEQUENCE_BYTES = 8;
const CIPHER = 'aes-256-ctr';

/**
 * Creates opaque cursors, which stay valid after a restart. A client can neither read nor choose the position in a cursor,
 * because positions reveal how many jobs all callers have. The construction is SIV (RFC 5297): the seal of the list and the
 * position is also the initialization vector of the cipher. Therefore, equal positions have equal cursors.
 */
export function createSealedCursors(secret: Uint8Array) {
  const sealKey = toKey(secret, 'seal');
  const cipherKey = toKey(secret, 'cipher');

  function seal(list: readonly unknown[], position: Uint8Array): Buffer {
    const words = JSON.stringify(list);
    const digest = createHmac('sha256', sealKey).update(`${position.length}:`).update(position);
    return digest.update(words).digest().subarray(0, SEAL_BYTES);
  }

  /** Returns the position in the cursor, or undefined if the cursor was written for another list. */
  function open(list: readonly unknown[], cursor: string): Buffer | undefined {
    const bytes = Buffer.from(cursor, 'base64url');
    // Only the canonical form of a cursor is accepted, because the decoder skips invalid characters.
    if (bytes.length <= SEAL_BYTES || bytes.toString('base64url') !== cursor) return undefined;
    const given = bytes.subarray(0, SEAL_BYTES);
    const decipher = createDecipheriv(CIPHER, cipherKey, given);
    const position = decipher.update(bytes.subarray(SEAL_BYTES));
    return timingSafeEqual(given, seal(list, position)) ? position : undefined;
  }

  /** Returns the cursor of a position in this list. The length of the cursor reveals the length of the position. */
  function write(list: readonly unknown[], position: Uint8Array): string {
    const sealed = seal(list, position);
    const cipher = createCipheriv(CIPHER, cipherKey, sealed);
    return Buffer.concat([sealed, cipher.update(position)]).toString('base64url');
  }

  /** Returns the sequence in the cursor, or undefined if the cursor was written for another list or contains no sequence. */
  function openSequence(list: readonly unknown[], cursor: string): number | undefined {
    const position = open(list, cursor);
    return position?.length === SEQUENCE_BYTES ? Number(position.readBigUInt64BE()) : undefined;
  }

  return {
    write,

    /** Returns the position in the cursor. Throws `invalid_request` if the cursor was written for another list. */
    read: (list: readonly unknown[], cursor: string): Buffer => valid(open(list, cursor)),

    /** Returns the cursor of a sequence. All of these cursors have the same length, which reveals nothing about the sequence. */
    writeSequence(list: readonly unknown[], sequence: number): string {
      const position = Buffer.alloc(SEQUENCE_BYTES);
      position.writeBigUInt64BE(BigInt(sequence));
      return write(list, position);
    },

    openSequence,

    /** Returns the sequence in the cursor. Throws `invalid_request` if `openSequence` returns undefined. */
    readSequence: (list: readonly unknown[], cursor: string): number =>
      valid(openSequence(list, cursor)),
  };
}

function valid<T>(position: T | undefined): T {
  if (position !== undefined) return position;
  const message = 'must be a cursor of this list with the same filters';
  throw invalidField('cursor', 'invalid_cursor', message);
}

/** Derives a separate key for each use, because the same secret is also used for other signatures. */
function toKey(secret: Uint8Array, use: string): Buffer {
  return createHmac('sha256', secret).update(`cursor ${use}`).digest();
}
