import { createHash } from 'node:crypto';
import { setImmediate as otherWork } from 'node:timers/promises';
import { parseColor } from '../../images/color.ts';
import {
  type DecodeOptions,
  type ImageEngine,
  type Pixels,
  uprightEdges,
} from '../../images/image.ts';
import type { ProviderInput, ProviderRequest } from '../provider-port.ts';
import { MAX_EDGE, MIN_EDGE, type SandboxModel } from './capabilities.ts';
import { frameOf } from './drawing/composition.ts';
import type { DrawingTask, Ground, SharedPixels } from './drawing/drawing-task.ts';
import { MEDALLION_SIZE } from './drawing/medallions.ts';
import { type Edges, outputSize } from './output-size.ts';

/** The part of a drawing task that all outputs of one call share. */
export type CommonTask = Omit<DrawingTask, 'stop' | 'outputSeed'>;

const DETAIL = { auto: 1, low: 0, medium: 1, high: 2, xhigh: 2, max: 2 } as const;
/** Maximum difference between an image and its source, by input fidelity. */
const STRENGTH = { high: 0.35, unnamed: 0.6, low: 0.85 } as const;

/** Decodes the images of a call at the sizes at which they are drawn, once for all outputs. */
export async function toDrawing(
  request: ProviderRequest,
  model: SandboxModel,
  engine: ImageEngine,
  signal: AbortSignal,
): Promise<CommonTask> {
  const { parameters, images, mask } = request;
  const [first, ...others] = images;
  const size = outputSize(parameters, first && uprightEdges(first));
  const ground = groundOf(request);
  const channels = ground !== 'image' || keepsAlpha(request, model) ? 4 : 3;
  const read = async (input: ProviderInput, options: DecodeOptions) =>
    toSharedPixels(await engine.decode(toVerified(input), options, signal), signal);
  const atFullSize = { ...size, fit: 'cover' } as const;
  const source = first && (await read(first, { channels, resize: atFullSize }));
  const sharedMask = mask && (await read(mask, { channels: 4, resize: atFullSize }));
  const references: SharedPixels[] = [];
  for (const input of [...others, ...request.references]) {
    references.push(await read(input, { channels: 3, resize: medallionSize(size) }));
  }
  const strength = STRENGTH[parameters.input_fidelity ?? 'unnamed'];
  return {
    ...size,
    promptSeed: promptSeed(request.prompt),
    ...(request.negativePrompt === undefined
      ? {}
      : { awaySeed: promptSeed(request.negativePrompt) }),
    detail: DETAIL[parameters.quality],
    ground,
    ...(source ? { source: { pixels: source, strength } } : {}),
    ...(sharedMask ? { mask: sharedMask } : {}),
    references,
    previews: parameters.partial_images,
  };
}

/** Returns the drawing task of one output. */
export function taskOf(
  common: CommonTask,
  request: ProviderRequest,
  index: number,
): Omit<DrawingTask, 'stop'> {
  return { ...common, outputSeed: outputSeed(request, index) };
}

function groundOf({ keyColor, parameters }: ProviderRequest): Ground {
  if (keyColor !== undefined) return { key: parseColor(keyColor) };
  return parameters.background === 'transparent' ? 'transparent' : 'image';
}

/**
 * Returns true if transparent pixels of a source may stay: the request does not demand an opaque image, and the format
 * supports alpha.
 */
function keepsAlpha({ parameters }: ProviderRequest, { profile }: SandboxModel): boolean {
  return (
    profile === 'full' && parameters.background === 'auto' && parameters.output_format !== 'jpeg'
  );
}

function medallionSize({ width, height }: Edges): NonNullable<DecodeOptions['resize']> {
  const edge = Math.round(frameOf(width, height).unit * MEDALLION_SIZE);
  const clamped = Math.min(Math.max(edge, MIN_EDGE), MAX_EDGE);
  return { width: clamped, height: clamped, fit: 'cover' };
}

function toVerified({ mediaType, ...input }: ProviderInput) {
  const format = FORMATS[mediaType];
  // Decoding ignores `alpha` and returns the requested number of channels.
  return { ...input, format, alpha: 'some' } as const;
}

const FORMATS = { 'image/png': 'png', 'image/jpeg': 'jpeg', 'image/webp': 'webp' } as const;

/** Returns the seed of a prompt (hexadecimal), which all its images share. */
export function promptSeed(prompt: string): string {
  return sha256([prompt]);
}

/** Returns the seed of one image (hexadecimal), which differs for each image of the same prompt. */
function outputSeed({ prompt, negativePrompt }: ProviderRequest, index: number): string {
  return sha256([prompt, negativePrompt ?? null, index]);
}

function sha256(parts: readonly (string | number | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Copied in one step on the main thread, in well below a millisecond. */
const STEP_BYTES = 4 * 1024 * 1024;

/** Copies pixels to memory that all threads can read, so that several drawings share one copy. */
async function toSharedPixels(pixels: Pixels, signal: AbortSignal): Promise<SharedPixels> {
  const { data, width, height, channels } = pixels;
  const shared = new SharedArrayBuffer(data.length);
  const target = new Uint8Array(shared);
  for (let at = 0; at < data.length; at += STEP_BYTES) {
    if (at > 0) await otherWork();
    signal.throwIfAborted();
    target.set(data.subarray(at, at + STEP_BYTES), at);
  }
  return { data: shared, width, height, channels };
}
