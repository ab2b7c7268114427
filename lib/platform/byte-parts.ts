import type { Steps } from './time-slices.ts';

const COPY_STEP_BYTES = 4 * 1024 * 1024;

/**
 * Bytes that are stored in several buffers, in this order. An image to which metadata is added consists of parts of the original
 * and of the added bytes, so that the original is not copied. Reads like a `Buffer`.
 */
export class ByteParts {
  readonly parts: readonly Buffer[];
  readonly length: number;

  constructor(parts: readonly Buffer[]) {
    this.parts = parts;
    this.length = parts.reduce((sum, part) => sum + part.length, 0);
  }

  /** Returns all bytes as one buffer. Several parts are copied. */
  toBuffer(): Buffer {
    const [first, ...others] = this.parts;
    return first && others.length === 0 ? first : Buffer.concat(this.parts);
  }

  /** Returns all bytes as one buffer, like `toBuffer`, and copies several parts in steps. */
  *joinSteps(): Steps<Buffer> {
    if (this.parts.length <= 1) return this.toBuffer();
    const whole = Buffer.allocUnsafe(this.length);
    let at = 0;
    for (const part of this.parts) {
      for (let from = 0; from < part.length; from += COPY_STEP_BYTES) {
        at += part.copy(whole, at, from, from + COPY_STEP_BYTES);
        yield;
      }
    }
    return whole;
  }

  /** Returns the bytes from `start` up to `end`. The bytes are copied if they are in several parts. */
  subarray(start: number, end: number): Buffer {
    const found: Buffer[] = [];
    let at = 0;
    for (const part of this.parts) {
      const from = Math.max(start - at, 0);
      const to = Math.min(end - at, part.length);
      if (from < to) {
        if (end <= at + part.length && found.length === 0) return part.subarray(from, to);
        found.push(part.subarray(from, to));
      }
      at += part.length;
    }
    return Buffer.concat(found);
  }

  at(index: number): number | undefined {
    return this.subarray(index, index + 1)[0];
  }

  readUInt16BE(at: number): number {
    return this.subarray(at, at + 2).readUInt16BE();
  }

  readUInt32BE(at: number): number {
    return this.subarray(at, at + 4).readUInt32BE();
  }

  readUInt32LE(at: number): number {
    return this.subarray(at, at + 4).readUInt32LE();
  }
}

/** The reading methods that `Buffer` and `ByteParts` have in common. */
export type ReadableBytes = Pick<
  ByteParts,
  'length' | 'subarray' | 'at' | 'readUInt16BE' | 'readUInt32BE' | 'readUInt32LE'
>;
