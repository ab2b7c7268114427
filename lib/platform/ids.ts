import { randomFillSync } from 'node:crypto';

/** The only source of randomness. Tests replace it to get the same ids in every run. */
export interface Ids {
  /** A UUIDv7 (RFC 9562, 5.7): sorts by creation, to the millisecond. For requests and jobs. */
  newUuid(): string;
  /** 128 random bits in lowercase hexadecimal. For artifacts and trace ids: it reveals nothing. */
  newOpaqueId(): string;
  /** 64 random bits in lowercase hexadecimal. For span ids. */
  newSpanId(): string;
  /** At least 0, below 1. For jitter. */
  newFraction(): number;
}

// One call to the operating system yields bytes for some three hundred ids. One call an id costs more than the id.
const POOL_BYTES = 4096;

/** Ids from the operating system's generator and the given wall clock. */
export function createIds(nowMs: () => number): Ids {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;

  /** The index in the pool of bytes that nothing else has used. */
  function take(bytes: number): number {
    if (used + bytes > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    used += bytes;
    return used - bytes;
  }

  // From the pool itself: to make a buffer of its part would cost more than the text.
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
