import { randomFillSync } from 'node:crypto';

/** The only source of randomness. Tests replace the source to get the same ids in every run. */
export interface Ids {
  /**
   * Returns a UUIDv7 (RFC 9562, section 5.7), which sorts by creation time with a resolution of one millisecond. Used for
   * requests and jobs.
   */
  newUuid(): string;
  /** Returns 128 random bits in lowercase hexadecimal. Used for artifact ids and trace ids, which must not reveal any facts. */
  newOpaqueId(): string;
  /** Returns 64 random bits in lowercase hexadecimal. Used for span ids. */
  newSpanId(): string;
  /** Returns a random number from 0 (inclusive) to 1 (exclusive). Used for jitter. */
  newFraction(): number;
}

// One call to the operating system yields bytes for about 300 ids, because a call per id would cost more than the id itself.
const POOL_BYTES = 4096;

/** Creates ids from the random generator of the operating system and the given wall clock. */
export function createIds(nowMs: () => number): Ids {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;

  /** Returns the index of unused bytes in the pool. */
  function take(bytes: number): number {
    if (used + bytes > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    used += bytes;
    return used - bytes;
  }

  // Reads from the pool itself, because creating a subarray would cost more than the conversion.
  function toHex(at: number, bytes: number): string {
    return pool.toString('hex', at, at + bytes);
  }

  return {
    newUuid() {
      const at = take(16);
      pool.writeUIntBE(nowMs(), at, 6);
      pool[at + 6] = 0x70 | (pool.readUInt8(at + 6) & 0x0f);
      pool[at + 8] = 0x80 | (pool.readUInt8(at + 8) & 0x3f);
      const hex = toHex(at, 16);
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
    },
    newOpaqueId: () => toHex(take(16), 16),
    newSpanId: () => toHex(take(8), 8),
    newFraction: () => pool.readUInt32BE(take(4)) / 2 ** 32,
  };
}
