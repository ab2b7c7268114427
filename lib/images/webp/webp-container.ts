import type { Steps } from '../../platform/time-slices.ts';
import { type ContainerVerdict, refused } from '../container/container-facts.ts';
import { exifOrientation } from '../container/tiff.ts';
import type { ImageFault } from '../image.ts';
import {
  ALPHA_FLAG,
  ANIMATION_FLAG,
  EXIF_FLAG,
  FIRST_WEBP_CHUNK_AT,
  losslessFrame,
  lossyFrame,
  nextWebpChunkAt,
  PROFILE_FLAG,
  type WebpFrame,
  webpChunkAt,
  XMP_FLAG,
} from './webp-chunk.ts';

/** The facts from the chunks read so far. */
interface WebpState {
  canvas: WebpFrame | undefined;
  /** Flags set in VP8X, and flags of the chunks found so far. */
  announced: number;
  found: number;
  frame: WebpFrame | undefined;
  hasAlphaChunk: boolean;
  orientation: number | undefined;
}

type ChunkRule = (state: WebpState, data: Buffer, isFirst: boolean) => ImageFault | undefined;

const animated: ChunkRule = () => 'animated';

/** Flags of the metadata chunks. VP8X must announce each of these chunks (RFC 9649, 2.7). */
const METADATA_FLAGS = PROFILE_FLAG | EXIF_FLAG | XMP_FLAG;

const RULES: ReadonlyMap<string, ChunkRule> = new Map<string, ChunkRule>([
  ['VP8X', readCanvas],
  ['VP8 ', (state, data, isFirst) => takeFrame(state, lossyFrame(data), isFirst)],
  ['VP8L', (state, data, isFirst) => takeFrame(state, losslessFrame(data), isFirst)],
  ['ICCP', readProfile],
  ['ALPH', readAlpha],
  ['ANIM', animated],
  ['ANMF', animated],
  ['EXIF', readExif],
  ['XMP ', (state) => note(state, XMP_FLAG)],
]);

/** Checks a WebP (RFC 9649, 2) from its RIFF header to its last byte. The pixels are not decoded. */
export function* checkWebp(bytes: Buffer): Steps<ContainerVerdict> {
  if (bytes.length < FIRST_WEBP_CHUNK_AT) return refused('truncated');
  const end = 8 + bytes.readUInt32LE(4);
  if (end > bytes.length) return refused('truncated');
  if (end < bytes.length) return refused('trailing_bytes');
  const state: WebpState = {
    canvas: undefined,
    announced: 0,
    found: 0,
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

function verdict(state: WebpState): ContainerVerdict {
  const { canvas, frame, hasAlphaChunk, orientation } = state;
  if (frame === undefined || state.announced !== state.found) return refused('corrupt');
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
  state.announced = flags & METADATA_FLAGS;
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
  const isAllowed = isFirst || state.canvas !== undefined;
  if (frame === undefined || state.frame !== undefined || !isAllowed) return 'corrupt';
  state.frame = frame;
  return undefined;
}

function note(state: WebpState, flag: number): undefined {
  state.found |= flag;
}

function readProfile(state: WebpState): ImageFault | undefined {
  if (state.frame !== undefined) return 'corrupt';
  return note(state, PROFILE_FLAG);
}

function readAlpha(state: WebpState): ImageFault | undefined {
  if (state.canvas === undefined || state.frame !== undefined) return 'corrupt';
  state.hasAlphaChunk = true;
  return undefined;
}

function readExif(state: WebpState, data: Buffer): undefined {
  note(state, EXIF_FLAG);
  state.orientation ??= exifOrientation(data);
}
