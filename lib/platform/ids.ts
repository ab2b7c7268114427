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

// One call to the operating system yields bytes for about two hundred ids. One call an id costs more than the id.
const POOL_BYTES = 4096;

/** Ids from the operating system's generator and the given wall clock. */
export function createIds(nowMs: () => number): Ids {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;

  function nextBytes(bytes: number): Buffer {
    if (used + bytes > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    used += bytes;
    return pool.subarray(used - bytes, used);
  }

  return {
    newUuid() {
      const bytes = nextBytes(16);
      bytes.writeUIntBE(nowMs(), 0, 6);
      bytes[6] = 0x70 | (bytes.readUInt8(6) & 0x0f);
      bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f);
      const hex = bytes.toString('hex');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
    },
    newOpaqueId: () => nextBytes(16).toString('hex'),
    newSpanId: () => nextBytes(8).toString('hex'),
    newFraction: () => nextBytes(4).readUInt32BE(0) / 2 ** 32,
  };
}
