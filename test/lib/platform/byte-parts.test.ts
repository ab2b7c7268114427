import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteParts } from '../../../lib/platform/byte-parts.ts';
import { finish } from '../../support/finish.ts';

const anyParts = fc.array(fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes)));

describe('ByteParts', () => {
  it('reads like a buffer with the same bytes', () => {
    fc.assert(
      fc.property(anyParts, fc.nat(40), fc.nat(40), (buffers, start, end) => {
        const whole = Buffer.concat(buffers);

        const parts = new ByteParts(buffers);

        expect(parts.length).toBe(whole.length);
        expect(parts.toBuffer()).toEqual(whole);
        expect(finish(parts.joinSteps())).toEqual(whole);
        expect(parts.subarray(start, end)).toEqual(whole.subarray(start, end));
        expect(parts.at(start)).toBe(whole.at(start));
      }),
    );
  });

  it('reads numbers across the border of two parts', () => {
    const parts = new ByteParts([Buffer.from([1, 2, 3]), Buffer.from([4, 5, 6])]);

    expect(parts.readUInt16BE(2)).toBe(0x0304);
    expect(parts.readUInt32BE(1)).toBe(0x02030405);
    expect(parts.readUInt32LE(1)).toBe(0x05040302);
  });

  it('shares the memory of a part in which all requested bytes are', () => {
    const [one, other] = [Buffer.alloc(4), Buffer.alloc(4)];
    const parts = new ByteParts([one, other]);

    expect(parts.subarray(5, 7).buffer).toBe(other.buffer);
    expect(new ByteParts([one]).toBuffer()).toBe(one);
  });
});
