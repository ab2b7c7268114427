import { createHash } from 'node:crypto';
import { setImmediate as otherWork } from 'node:timers/promises';
import { parseColor } from '../../images/color.ts';
import {
  type DecodeOptions,
  type ImageEngine,
  type Pixels,
  uprightEdges,
} from '../../images/image.ts';
import { type Clock, sleep } from '../../platform/clock.ts';
import { createSemaphore } from '../../platform/semaphore.ts';
import { createThreadPool } from '../../platform/thread-pool.ts';
import { toVerified } from '../backend/sent-images.ts';
import type {
  ProviderContext,
  ProviderInput,
  ProviderOutput,
  ProviderRequest,
} from '../provider-port.ts';
import type { SandboxModel } from './capabilities.ts';
import type { Drawing, DrawingTask, Ground, RawImage, SharedPixels } from './drawing.ts';
import { outputSize } from './output-size.ts';
import { lookOf } from './scenes.ts';

/** Maximum number of raw images in memory. An image of the largest size takes 64 MiB. */
const RENDER_SLOTS = 2;
const POOL = { name: 'draw', worker: '#draw-worker', threads: RENDER_SLOTS } as const;

export interface RenderJob {
  readonly request: ProviderRequest;
  readonly model: SandboxModel;
  readonly pace: Pace;
  readonly signal: AbortSignal;
  readonly onEvent: ProviderContext['onEvent'];
}

/** Creates the renderer, which draws and encodes the images of a call. */
export function createRenderer({ engine }: { readonly engine: ImageEngine }) {
  const pool = createThreadPool<Omit<DrawingTask, 'stop'>, Drawing>(POOL);
  const slots = createSemaphore(RENDER_SLOTS);

  async function draw(job: RenderJob, common: CommonTask, index: number) {
    const { request, signal, onEvent } = job;
    onEvent({ type: 'progress', stage: 'generating', index });
    const outputSeed = seedOf(request.prompt, request.negativePrompt ?? null, index);
    const drawing = await pool.run({ ...common, outputSeed }, signal);
    const { output_format: format, output_compression: compression } = request.parameters;
    const encoding = { format, ...(compression === null ? {} : { compression }) };
    const encode = ({ data, ...image }: RawImage) =>
      engine.encode({ ...image, data: Buffer.from(data) }, encoding, signal);
    const bytes = await encode(drawing.image);
    const previews: Buffer[] = [];
    for (const preview of drawing.previews) previews.push(await encode(preview));
    return { bytes, previews };
  }

  return {
    /** Resolves with the outputs. Rejects with the signal's reason if the signal aborts. */
    async render(job: RenderJob) {
      const { request, model, pace, signal, onEvent } = job;
      const common = await toDrawing(request, model, engine, signal);
      const revisedPrompt = model.profile === 'full' ? revisedPromptOf(request) : undefined;
      const outputs = request.indices.map(async (index): Promise<ProviderOutput> => {
        const work = () => draw(job, common, index);
        const { bytes, previews } = await slots.run(work, signal);
        for (const [partialIndex, preview] of previews.entries()) {
          await pace.reach((partialIndex + 1) / (previews.length + 1));
          onEvent({ type: 'partial_image', index, partialIndex, bytes: preview });
        }
        return { bytes, ...(revisedPrompt === undefined ? {} : { revisedPrompt }) };
      });
      return { outputs: await Promise.all(outputs), size: common };
    },

    /** Resolves when all threads have ended. */
    close: () => pool.close(),
  };
}

/** Returns the prompt, followed by a description of the image that the sandbox draws. */
function revisedPromptOf(request: ProviderRequest): string {
  const { prompt, images, references } = request;
  const { promptSeed, negativeSeed } = promptSeeds(request);
  const { composition, mood } = lookOf(promptSeed, negativeSeed);
  const isColoredByImages = images.length > 1 || references.length > 0;
  const colors = isColoredByImages ? 'the colours of its references' : mood.name;
  const kind = images.length > 0 ? 'painted over with' : 'drawn as';
  return `${prompt} (${kind} ${composition.phrase}, in ${colors})`;
}

export type Pace = ReturnType<typeof createPace>;

/** Creates a pace, which spreads the events of a call over its duration, like the events of a real provider. */
export function createPace(clock: Clock, totalMs: number, signal: AbortSignal) {
  const startMs = clock.monotonicMs();
  return {
    /**
     * Resolves when this share (0 to 1) of the duration has passed. Rejects with the signal's reason if the signal
     * aborts.
     */
    async reach(share: number): Promise<void> {
      signal.throwIfAborted();
      const leftMs = startMs + totalMs * share - clock.monotonicMs();
      if (leftMs > 0) await sleep(clock, leftMs, signal);
    },
  };
}

/** The part of a drawing task that all outputs of one call share. */
type CommonTask = Omit<DrawingTask, 'stop' | 'outputSeed'>;

const DETAIL = { auto: 1, low: 0, medium: 1, high: 2, xhigh: 2, max: 2 } as const;
/** Size at which the images that give a drawing its colours are decoded. */
const PALETTE_SAMPLE = { width: 48, height: 48, fit: 'cover' } as const;
/** Maximum difference between an image and its source, by input fidelity. */
const STRENGTH = { high: 0.35, unnamed: 0.6, low: 0.85 } as const;

/** Decodes the images of a call at the sizes at which they are drawn, once for all outputs. */
async function toDrawing(
  request: ProviderRequest,
  model: SandboxModel,
  engine: ImageEngine,
  signal: AbortSignal,
): Promise<CommonTask> {
  const { parameters, images, mask } = request;
  const [first, ...others] = images;
  const size = outputSize(parameters, first && uprightEdges(first), mask !== undefined);
  const ground = groundOf(request);
  const channels = ground !== 'image' || keepsAlpha(request, model) ? 4 : 3;
  const read = async (input: ProviderInput, options: DecodeOptions) =>
    toSharedPixels(await engine.decode(toVerified(input), options, signal), signal);
  const atFullSize = { ...size, fit: 'cover' } as const;
  const source = first && (await read(first, { channels, resize: atFullSize }));
  const sharedMask = mask && (await read(mask, { channels: 4, resize: atFullSize }));
  const references: SharedPixels[] = [];
  for (const input of [...others, ...request.references]) {
    references.push(await read(input, { channels: 3, resize: PALETTE_SAMPLE }));
  }
  const strength = STRENGTH[parameters.input_fidelity ?? 'unnamed'];
  return {
    ...size,
    ...promptSeeds(request),
    detail: DETAIL[parameters.quality],
    ground,
    ...(source ? { source: { pixels: source, strength } } : {}),
    ...(sharedMask ? { mask: sharedMask } : {}),
    references,
    previews: parameters.partial_images,
  };
}

/** Returns the seeds that all images of one prompt share. */
function promptSeeds({ prompt, negativePrompt }: ProviderRequest) {
  const promptSeed = seedOf(prompt);
  return negativePrompt === undefined
    ? { promptSeed }
    : { promptSeed, negativeSeed: seedOf(negativePrompt) };
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

/** Returns a 32-bit seed that is always the same for the same parts. */
function seedOf(...parts: readonly (string | number | null)[]): number {
  return createHash('sha256').update(JSON.stringify(parts)).digest().readInt32LE();
}

/** Number of bytes that the main thread copies in one step. A step takes well below a millisecond. */
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
