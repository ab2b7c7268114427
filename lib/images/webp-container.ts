import { type ContainerVerdict, refused } from './container.ts';
import { exifOrientation } from './exif-orientation.ts';
import type { ImageFault } from './image.ts';
import type { Steps } from './time-slices.ts';

interface Frame {
  readonly width: number;
  readonly height: number;
  readonly hasAlpha: boolean;
}

/** What the chunks so far have said. */
interface WebpState {
  canvas: Frame | undefined;
  frame: Frame | undefined;
  hasAlphaChunk: boolean;
  orientation: number | undefined;
}

type ChunkRule = (state: WebpState, data: Buffer, isFirst: boolean) => ImageFault | undefined;

const FIRST_CHUNK_AT = 12;
const ANIMATION_FLAG = 0x02;
const ALPHA_FLAG = 0x10;

const animated: ChunkRule = () => 'animated';

const RULES: ReadonlyMap<string, ChunkRule> = new Map<string, ChunkRule>([
  ['VP8X', readCanvas],
  ['VP8 ', (state, data, isFirst) => takeFrame(state, lossyFrame(data), isFirst)],
  ['VP8L', (state, data, isFirst) => takeFrame(state, losslessFrame(data), isFirst)],
  ['ALPH', readAlpha],
  ['ANIM', animated],
  ['ANMF', animated],
  ['EXIF', readExif],
]);

/** Walks a WebP (RFC 9649, 2) from its RIFF head to its last byte. Its pixels stay unread. */
export function* checkWebp(bytes: Buffer): Steps<ContainerVerdict> {
  if (bytes.length < FIRST_CHUNK_AT) return refused('truncated');
  const end = 8 + bytes.readUInt32LE(4);
  if (end > bytes.length) return refused('truncated');
  if (end < bytes.length) return refused('trailing_bytes');
  const state: WebpState = {
    canvas: undefined,
    frame: undefined,
    hasAlphaChunk: false,
    orientation: undefined,
  };
  let at = FIRST_CHUNK_AT;
  while (at < end) {
    if (at + 8 > end) return refused('corrupt');
    const size = bytes.readUInt32LE(at + 4);
    const dataEnd = at + 8 + size;
    if (dataEnd > end) return refused('corrupt');
    const rule = RULES.get(bytes.toString('latin1', at, at + 4));
    const data = bytes.subarray(at + 8, dataEnd);
    const fault = rule?.(state, data, at === FIRST_CHUNK_AT);
    if (fault !== undefined) return refused(fault);
    // Odd chunks are padded; some writers leave out the padding of the very last one.
    at = dataEnd + (size % 2);
    yield;
  }
  return verdict(state);
}

function verdict({ canvas, frame, hasAlphaChunk, orientation }: WebpState): ContainerVerdict {
  if (frame === undefined) return refused('corrupt');
  const { width, height } = frame;
  if (canvas !== undefined && (canvas.width !== width || canvas.height !== height)) {
    return refused('corrupt');
  }
  return {
    ok: true,
    facts: {
      width,
      height,
      orientation: orientation ?? 1,
      hasAlpha: frame.hasAlpha || hasAlphaChunk || canvas?.hasAlpha === true,
      isCmyk: false,
      deflated: [],
    },
  };
}

function readCanvas(state: WebpState, data: Buffer, isFirst: boolean): ImageFault | undefined {
  if (!isFirst || data.length < 10) return 'corrupt';
  const flags = data.readUInt8(0);
  if ((flags & ANIMATION_FLAG) !== 0) return 'animated';
  state.canvas = {
    width: data.readUIntLE(4, 3) + 1,
    height: data.readUIntLE(7, 3) + 1,
    hasAlpha: (flags & ALPHA_FLAG) !== 0,
  };
  return undefined;
}

function takeFrame(
  state: WebpState,
  frame: Frame | undefined,
  isFirst: boolean,
): ImageFault | undefined {
  const isPlaced = isFirst || state.canvas !== undefined;
  if (frame === undefined || state.frame !== undefined || !isPlaced) return 'corrupt';
  state.frame = frame;
  return undefined;
}

/** RFC 6386, 9.1: frame tag, start code, 14 bits of each edge. */
function lossyFrame(data: Buffer): Frame | undefined {
  if (data.length < 10) return undefined;
  const tag = data.readUIntLE(0, 3);
  const isKeyFrame = (tag & 1) === 0;
  const firstPartitionBytes = tag >> 5;
  if (!isKeyFrame || data.readUIntBE(3, 3) !== 0x9d012a) return undefined;
  const width = data.readUInt16LE(6) & 0x3fff;
  const height = data.readUInt16LE(8) & 0x3fff;
  const sane = width >= 1 && height >= 1 && firstPartitionBytes <= data.length - 10;
  return sane ? { width, height, hasAlpha: false } : undefined;
}

/** RFC 9649, 3.4: signature, 14 bits of each edge less one, alpha, version 0. */
function losslessFrame(data: Buffer): Frame | undefined {
  if (data.length < 5 || data[0] !== 0x2f) return undefined;
  const bits = data.readUInt32LE(1);
  if (bits >>> 29 !== 0) return undefined;
  return {
    width: (bits & 0x3fff) + 1,
    height: ((bits >>> 14) & 0x3fff) + 1,
    hasAlpha: ((bits >>> 28) & 1) === 1,
  };
}

function readAlpha(state: WebpState): undefined {
  state.hasAlphaChunk = true;
}

function readExif(state: WebpState, data: Buffer): undefined {
  state.orientation ??= exifOrientation(data);
}
