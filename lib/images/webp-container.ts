import { type ContainerVerdict, refused } from './container.ts';
import { exifOrientation } from './exif-orientation.ts';
import type { ImageFault } from './image.ts';
import type { Steps } from './time-slices.ts';
import {
  ALPHA_FLAG,
  ANIMATION_FLAG,
  FIRST_WEBP_CHUNK_AT,
  losslessFrame,
  lossyFrame,
  nextWebpChunkAt,
  type WebpFrame,
  webpChunkAt,
} from './webp-chunk.ts';

/** What the chunks so far have said. */
interface WebpState {
  canvas: WebpFrame | undefined;
  frame: WebpFrame | undefined;
  hasAlphaChunk: boolean;
  orientation: number | undefined;
}

type ChunkRule = (state: WebpState, data: Buffer, isFirst: boolean) => ImageFault | undefined;

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
  if (bytes.length < FIRST_WEBP_CHUNK_AT) return refused('truncated');
  const end = 8 + bytes.readUInt32LE(4);
  if (end > bytes.length) return refused('truncated');
  if (end < bytes.length) return refused('trailing_bytes');
  const state: WebpState = {
    canvas: undefined,
    frame: undefined,
    hasAlphaChunk: false,
    orientation: undefined,
  };
  let at = FIRST_WEBP_CHUNK_AT;
  while (at < end) {
    const chunk = webpChunkAt(bytes, at, end);
    if (typeof chunk === 'string') return refused(chunk);
    const rule = RULES.get(chunk.type);
    const fault = rule?.(state, chunk.data, at === FIRST_WEBP_CHUNK_AT);
    if (fault !== undefined) return refused(fault);
    at = nextWebpChunkAt(chunk);
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
      hasDeepProfile: false,
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
  frame: WebpFrame | undefined,
  isFirst: boolean,
): ImageFault | undefined {
  const isPlaced = isFirst || state.canvas !== undefined;
  if (frame === undefined || state.frame !== undefined || !isPlaced) return 'corrupt';
  state.frame = frame;
  return undefined;
}

function readAlpha(state: WebpState): undefined {
  state.hasAlphaChunk = true;
}

function readExif(state: WebpState, data: Buffer): undefined {
  state.orientation ??= exifOrientation(data);
}
