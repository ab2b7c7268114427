import { type HuffmanSpecs, type HuffmanTable, huffmanTable } from './jpeg-huffman.ts';
import type { SequentialScan } from './jpeg-scan.ts';

interface Component {
  readonly id: number;
  /** Sampling factors, 1 to 4. */
  readonly across: number;
  readonly down: number;
}

export interface JpegFrame {
  readonly width: number;
  readonly height: number;
  /** Baseline or extended, Huffman-coded: all coefficients of a block are in one scan. */
  readonly isSequential: boolean;
  readonly components: readonly Component[];
}

/** What a scan needs from the segments before it. */
export interface ScanSetting {
  readonly specs: HuffmanSpecs;
  readonly restartInterval: number;
}

const BASELINE = 0xc0;
const EXTENDED = 0xc1;
const BLOCK_EDGE = 8;
const AC = 0x10;

/** ITU T.81, B.2.2: precision, height, width, components of three bytes each. Undefined if it is not valid. */
export function toFrame(marker: number, payload: Buffer): JpegFrame | undefined {
  if (payload.length < 6) return undefined;
  const height = payload.readUInt16BE(1);
  const width = payload.readUInt16BE(3);
  const count = payload.readUInt8(5);
  const sane = width >= 1 && height >= 1 && count >= 1 && payload.length === 6 + 3 * count;
  if (!sane) return undefined;
  const components = Array.from({ length: count }, (_, index) => toComponent(payload, index));
  if (components.some(({ across, down }) => !isFactor(across) || !isFactor(down))) return undefined;
  return { width, height, isSequential: marker === BASELINE || marker === EXTENDED, components };
}

function toComponent(payload: Buffer, index: number): Component {
  const at = 6 + 3 * index;
  const factors = payload.readUInt8(at + 1);
  return { id: payload.readUInt8(at), across: factors >> 4, down: factors & 0x0f };
}

function isFactor(factor: number): boolean {
  return factor >= 1 && factor <= 4;
}

/** True for a scan that is the whole image: decoders output its rows while they read it. */
export function isWholeImage({ isSequential, components }: JpegFrame, payload: Buffer): boolean {
  return isSequential && payload[0] === components.length;
}

/** ITU T.81, A.2 and B.2.3. Undefined for an invalid head, or one that names unknown components or tables. */
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
    // The blocks of a single component are in rows; its sampling factors do not matter (A.2.2).
    const times = count === 1 ? 1 : component.across * component.down;
    for (let block = 0; block < times; block += 1) blocks.push({ dc, ac });
  }
  return { blocks, mcus: mcusOf(frame), restartInterval };
}

function mcusOf({ width, height, components }: JpegFrame): number {
  const isSingle = components.length === 1;
  const across = isSingle ? 1 : Math.max(...components.map((component) => component.across));
  const down = isSingle ? 1 : Math.max(...components.map((component) => component.down));
  return Math.ceil(width / (BLOCK_EDGE * across)) * Math.ceil(height / (BLOCK_EDGE * down));
}
