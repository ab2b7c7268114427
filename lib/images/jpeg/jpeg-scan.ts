import type { Steps } from '../../platform/time-slices.ts';
import { endOfFill } from './fill-bytes.ts';
import type { HuffmanTable } from './jpeg-huffman.ts';

/** A scan that holds every component of a sequential frame. */
export interface SequentialScan {
  /** The tables of each block of an MCU, in their order. */
  readonly blocks: readonly { readonly dc: HuffmanTable; readonly ac: HuffmanTable }[];
  readonly mcus: number;
  /** In MCUs; 0 for none. */
  readonly restartInterval: number;
}

const BLOCKS_PER_STEP = 1024;
const FIRST_RESTART = 0xd0;
const LAST_COEFFICIENT = 63;
const SIXTEEN_ZEROS = 0xf0;

/**
 * Whether `data` holds the codes of that scan and nothing else (ITU T.81, F.2.2). libvips checks its decoder's warnings
 * before each strip of rows and never after the last one. Damage in the last strip, or bytes after it, are found only here.
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
  // Where the codes of this restart interval end, once that is known.
  let end = data.length;
  // The last `held` bits of `window` were read and not used yet; `made` of them are zeros in place of missing data.
  let window = 0;
  let held = 0;
  let made = 0;

  /** Reads until at least 25 bits are held. */
  function fill(): void {
    while (held <= 24) {
      const byte = data[at] ?? 0;
      const isData = at < end && (byte !== 0xff || isStuffed());
      window = (window << 8) | (isData ? byte : 0);
      held += 8;
      if (isData) at += byte === 0xff ? 2 : 1;
      else made += 8;
    }
  }

  /** Whether a zero follows the run of 0xff at `at`, which makes it one data byte. Skips the run before it, or sets the end. */
  function isStuffed(): boolean {
    const next = endOfFill(data, at);
    if (data[next] === 0) {
      at = next - 1;
      return true;
    }
    end = at;
    return false;
  }

  /** The next symbol, or -1 if the next bits are no code. */
  function symbol(table: HuffmanTable): number {
    if (held < 16) fill();
    const entry = table[(window >>> (held - 16)) & 0xffff] ?? 0;
    held -= entry >> 8;
    return entry === 0 ? -1 : entry & 0xff;
  }

  function skip(bits: number): void {
    if (held < bits) fill();
    held -= bits;
  }

  /** Whether all data up to a marker or the end was used, except for the padding bits of the last byte. */
  function isUsedUp(): boolean {
    return held - made < 8 && (at === end || (data[at] === 0xff && !isStuffed()));
  }

  return {
    /** False for an invalid code, or if the data ends inside the block. */
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
      return held >= made;
    },

    skipRestart(marker: number): boolean {
      if (!isUsedUp()) return false;
      at = endOfFill(data, at);
      const found = data[at];
      at += 1;
      end = data.length;
      held = 0;
      made = 0;
      return found === marker;
    },

    isAtEnd(): boolean {
      return isUsedUp() && endOfFill(data, at) === data.length;
    },
  };
}
