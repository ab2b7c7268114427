/** For every 16 bits of data: the length of the code that they begin with, times 256, plus its symbol; 0 for no code. */
export type HuffmanTable = Uint16Array;

/** The tables of the DHT segments so far, by class (DC 0x00, AC 0x10) and number. */
export type HuffmanSpecs = Map<number, { readonly counts: Buffer; readonly symbols: Buffer }>;

const LONGEST_CODE = 16;

/** ITU T.81, B.2.4.2. False for an invalid segment. */
export function readHuffmanSpecs(payload: Buffer, specs: HuffmanSpecs): boolean {
  let at = 0;
  while (at < payload.length) {
    const symbolsAt = at + 1 + LONGEST_CODE;
    const counts = payload.subarray(at + 1, symbolsAt);
    const symbols = payload.subarray(symbolsAt, symbolsAt + sum(counts));
    const isWhole = counts.length === LONGEST_CODE && symbols.length === sum(counts);
    if (!isWhole || symbols.length > 256) return false;
    specs.set(payload.readUInt8(at), { counts, symbols });
    at = symbolsAt + symbols.length;
  }
  return true;
}

/** ITU T.81, annex C. Undefined if there is no such table, or if it has more codes than 16 bits can distinguish. */
export function huffmanTable(specs: HuffmanSpecs, key: number): HuffmanTable | undefined {
  const spec = specs.get(key);
  if (spec === undefined) return undefined;
  const table = new Uint16Array(2 ** LONGEST_CODE);
  let from = 0;
  let index = 0;
  for (const [shorter, count] of spec.counts.entries()) {
    const length = shorter + 1;
    for (let nth = 0; nth < count; nth += 1) {
      const to = from + 2 ** (LONGEST_CODE - length);
      if (to > table.length) return undefined;
      table.fill((length << 8) | (spec.symbols[index] ?? 0), from, to);
      from = to;
      index += 1;
    }
  }
  return table;
}

function sum(counts: Buffer): number {
  return counts.reduce((total, count) => total + count, 0);
}
