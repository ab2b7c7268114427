import type { ReadableBytes } from '../../platform/byte-parts.ts';
import type { Steps } from '../../platform/time-slices.ts';
import type { Edges } from '../image.ts';

interface Component {
  readonly id: number;
  /** Horizontal and vertical sampling factor, 1 to 4. */
  readonly across: number;
  readonly down: number;
}

export interface JpegFrame extends Edges {
  /** True for a baseline or extended Huffman-coded frame. All coefficients of a block are in one scan. */
  readonly isSequential: boolean;
  readonly components: readonly Component[];
}

/** The values from earlier segments that are needed to read the codes of a scan. */
interface ScanSetting {
  readonly specs: HuffmanSpecs;
  readonly restartInterval: number;
}

const BASELINE = 0xc0;
const EXTENDED = 0xc1;
const BLOCK_EDGE = 8;
const AC = 0x10;

/**
 * Parses a frame header: precision, height, width, and three bytes for each component (ITU T.81, B.2.2). Returns undefined if
 * the header is invalid.
 */
export function toFrame(marker: number, payload: Buffer): JpegFrame | undefined {
  if (payload.length < 6) return undefined;
  const height = payload.readUInt16BE(1);
  const width = payload.readUInt16BE(3);
  const count = payload.readUInt8(5);
  const sane = width >= 1 && height >= 1 && count >= 1 && payload.length === 6 + 3 * count;
  if (!sane) return undefined;
  const components: Component[] = [];
  for (let at = 6; at < payload.length; at += 3) {
    const factors = payload.readUInt8(at + 1);
    const [across, down] = [factors >> 4, factors & 0x0f];
    if (across < 1 || across > 4 || down < 1 || down > 4) return undefined;
    components.push({ id: payload.readUInt8(at), across, down });
  }
  return { width, height, isSequential: marker === BASELINE || marker === EXTENDED, components };
}

/** Returns true if a scan is the whole image. Decoders output the rows of such a scan while they read it. */
export function isWholeImage({ isSequential, components }: JpegFrame, payload: Buffer): boolean {
  return isSequential && payload[0] === components.length;
}

/**
 * Parses the header of a scan (ITU T.81, A.2 and B.2.3). Returns undefined if the header is invalid or names unknown components
 * or tables.
 */
export function toSequentialScan(
  frame: JpegFrame,
  payload: Buffer,
  { specs, restartInterval }: ScanSetting,
): SequentialScan | undefined {
  const count = payload[0] ?? 0;
  if (payload.length !== 4 + 2 * count) return undefined;
  const tables = new Map<number, HuffmanTable | undefined>();
  const tableOf = (key: number): HuffmanTable | undefined => {
    if (!tables.has(key)) tables.set(key, huffmanTable(specs, key));
    return tables.get(key);
  };
  const blocks: SequentialScan['blocks'][number][] = [];
  for (let index = 0; index < count; index += 1) {
    const component = frame.components.find(({ id }) => id === payload[1 + 2 * index]);
    const selectors = payload.readUInt8(2 + 2 * index);
    const dc = tableOf(selectors >> 4);
    const ac = tableOf(AC | (selectors & 0x0f));
    if (component === undefined || dc === undefined || ac === undefined) return undefined;
    // A scan with a single component stores its blocks one by one, row by row, so the sampling factors do not matter (ITU T.81,
    // A.2.2).
    const times = count === 1 ? 1 : component.across * component.down;
    for (let block = 0; block < times; block += 1) blocks.push({ dc, ac });
  }
  return { blocks, mcus: mcusOf(frame), restartInterval };
}

function mcusOf({ width, height, components }: JpegFrame): number {
  const sampled = components.length === 1 ? [{ across: 1, down: 1 }] : components;
  const across = Math.max(...sampled.map((component) => component.across));
  const down = Math.max(...sampled.map((component) => component.down));
  return Math.ceil(width / (BLOCK_EDGE * across)) * Math.ceil(height / (BLOCK_EDGE * down));
}

/** A scan that contains every component of a sequential frame. */
interface SequentialScan {
  /** Huffman tables for each block of an MCU, in the order of the blocks. */
  readonly blocks: readonly { readonly dc: HuffmanTable; readonly ac: HuffmanTable }[];
  readonly mcus: number;
  /** Restart interval in MCUs. 0 if there are no restarts. */
  readonly restartInterval: number;
}

const BLOCKS_PER_STEP = 1024;
const FIRST_RESTART = 0xd0;
const LAST_COEFFICIENT = 63;
const SIXTEEN_ZEROS = 0xf0;

/**
 * Returns true if `data` contains the codes of the scan and nothing else (ITU T.81, F.2.2). This check is needed because libvips
 * reads the warnings of its decoder before each strip of rows and never after the last strip. Only this check finds damage in
 * the last strip and bytes after the last strip.
 */
export function* isWholeScan(
  data: Buffer,
  { blocks, mcus, restartInterval }: SequentialScan,
): Steps<boolean> {
  const reader = createBlockReader(data);
  let sinceStep = 0;
  for (let mcu = 0; mcu < mcus; mcu += 1) {
    if (restartInterval > 0 && mcu > 0 && mcu % restartInterval === 0) {
      const number = (mcu / restartInterval - 1) % 8;
      if (!reader.skipRestart(FIRST_RESTART + number)) return false;
    }
    for (const { dc, ac } of blocks) if (!reader.skipBlock(dc, ac)) return false;
    sinceStep += blocks.length;
    if (sinceStep < BLOCKS_PER_STEP) continue;
    sinceStep = 0;
    yield;
  }
  return reader.isAtEnd();
}

function createBlockReader(data: Buffer) {
  let at = 0;
  // The end of the codes of this restart interval, or the length of the data until this end is known.
  let end = data.length;
  // The last `unread` bits of `window` are not used yet. `padded` is the number of these bits that replace missing data.
  let window = 0;
  let unread = 0;
  let padded = 0;

  /** Reads bytes until at least 25 bits are buffered. */
  function fill(): void {
    while (unread <= 24) {
      const byte = data[at] ?? 0;
      const isData = at < end && (byte !== 0xff || isStuffed());
      window = (window << 8) | (isData ? byte : 0);
      unread += 8;
      if (isData) at += byte === 0xff ? 2 : 1;
      else padded += 8;
    }
  }

  /**
   * Returns true if a zero follows the run of 0xff at `at`. The zero makes the last 0xff of the run a data byte, and `at` is
   * moved to this byte. If no zero follows, sets `end` instead.
   */
  function isStuffed(): boolean {
    const next = endOfFill(data, at);
    if (data[next] === 0) {
      at = next - 1;
      return true;
    }
    end = at;
    return false;
  }

  /** Reads the next symbol. Returns -1 if the next bits are not a code. */
  function symbol(table: HuffmanTable): number {
    if (unread < 16) fill();
    const entry = table[(window >>> (unread - 16)) & 0xffff] ?? 0;
    unread -= entry >> 8;
    return entry === 0 ? -1 : entry & 0xff;
  }

  function skip(bits: number): void {
    if (unread < bits) fill();
    unread -= bits;
  }

  /** Returns true if all data up to a marker or the end was used, except the padding bits of the last byte. */
  function isUsedUp(): boolean {
    return unread - padded < 8 && (at === end || (data[at] === 0xff && !isStuffed()));
  }

  return {
    /** Skips a block. Returns false for an invalid code, or if the data ends inside the block. */
    skipBlock(dc: HuffmanTable, ac: HuffmanTable): boolean {
      const category = symbol(dc);
      if (category < 0 || category > 16) return false;
      skip(category);
      for (let index = 1; index <= LAST_COEFFICIENT; index += 1) {
        const coded = symbol(ac);
        if (coded < 0) return false;
        const size = coded & 0x0f;
        if (size === 0 && coded !== SIXTEEN_ZEROS) break;
        index += coded >> 4;
        skip(size);
      }
      return unread >= padded;
    },

    /** Skips a restart marker. Returns false if the data before the marker was not used up, or if another marker follows. */
    skipRestart(marker: number): boolean {
      if (!isUsedUp()) return false;
      at = endOfFill(data, at);
      const found = data[at];
      at += 1;
      end = data.length;
      unread = 0;
      padded = 0;
      return found === marker;
    },

    isAtEnd(): boolean {
      return isUsedUp() && endOfFill(data, at) === data.length;
    },
  };
}

/**
 * A lookup table. The index is the next 16 bits of data. The value describes the code at the start of these bits: the length of
 * the code times 256, plus the symbol. The value is 0 if these bits do not begin with a code.
 */
type HuffmanTable = Uint16Array;

/** The tables of the DHT segments read so far. The key is the class (DC 0x00, AC 0x10) plus the number of the table. */
export type HuffmanSpecs = Map<number, { readonly counts: Buffer; readonly symbols: Buffer }>;

const LONGEST_CODE = 16;

/** Reads a DHT segment into `specs` (ITU T.81, B.2.4.2). Returns false if the segment is invalid. */
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

/**
 * Builds the lookup table of a Huffman table (ITU T.81, annex C). Returns undefined if the Huffman table does not exist or has
 * more codes than 16 bits can distinguish.
 */
function huffmanTable(specs: HuffmanSpecs, key: number): HuffmanTable | undefined {
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

const FILL = 0xff;
const SHORT_RUN = 64;
const FILL_BLOCK = Buffer.alloc(4096, FILL);

/**
 * Returns the position of the first byte from `start` on that is not a fill byte 0xff, or the length of `bytes`. Any number of
 * fill bytes may precede a marker (ITU T.81, B.1.1.2). Native code compares a long run, in about 1 ms for 16 MiB.
 */
export function endOfFill(bytes: ReadableBytes, start: number): number {
  let at = start;
  const shortEnd = start + SHORT_RUN;
  while (at < shortEnd && bytes.at(at) === FILL) at += 1;
  if (at < shortEnd) return at;
  while (isFillBlock(bytes, at)) at += FILL_BLOCK.length;
  while (bytes.at(at) === FILL) at += 1;
  return at;
}

function isFillBlock(bytes: ReadableBytes, at: number): boolean {
  const end = at + FILL_BLOCK.length;
  return end <= bytes.length && bytes.subarray(at, end).equals(FILL_BLOCK);
}
