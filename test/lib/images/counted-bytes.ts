export interface CountedBytes {
  readonly bytes: Buffer;
  /** Number of bytes read so far. A byte that is read twice counts twice. */
  reads(): number;
}

type Count = (whole: Buffer, args: readonly unknown[], result: unknown) => number;

const length: Count = (whole) => whole.length;
const searched: Count = (whole, [, from = 0], result) =>
  typeof result === 'number' && result >= 0
    ? result + 1 - Number(from)
    : whole.length - Number(from);

/** The number of bytes that each method reads. A method that is not listed may read all bytes. */
const COUNTS: ReadonlyMap<string | symbol, Count> = new Map<string | symbol, Count>([
  ['subarray', () => 0],
  ['indexOf', searched],
  ['at', () => 1],
  ['readUInt8', () => 1],
  ['readUInt16BE', () => 2],
  ['readUInt16LE', () => 2],
  ['readUInt32BE', () => 4],
  ['readUInt32LE', () => 4],
  ['readUIntBE', (_whole, [, size]) => Number(size)],
  ['readUIntLE', (_whole, [, size]) => Number(size)],
  ['toString', (_whole, _args, result) => String(result).length],
  ['equals', compared],
]);

/** Counts the bytes up to the first difference. */
function compared(whole: Buffer, [other]: readonly unknown[]): number {
  const differs = whole.findIndex((byte, at) => Buffer.isBuffer(other) && byte !== other[at]);
  return differs < 0 ? whole.length : differs + 1;
}

/** Wraps a buffer so that it and its parts count the bytes that JavaScript code reads. */
export function countReads(given: Buffer): CountedBytes {
  let reads = 0;

  function counted(bytes: Buffer): Buffer {
    return new Proxy(bytes, {
      get(target, key) {
        if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          const result: unknown = Reflect.apply(value, target, args);
          reads += (COUNTS.get(key) ?? length)(target, args, result);
          return Buffer.isBuffer(result) ? counted(result) : result;
        };
      },
    });
  }

  return { bytes: counted(given), reads: () => reads };
}
