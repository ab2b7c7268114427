import type { EncodeOptions, ImageEngine, Pixels } from '../../images/image.ts';
import { type Clock, sleep } from '../../platform/clock.ts';
import { createSemaphore } from '../../platform/semaphore.ts';
import { createThreadPool } from '../../platform/thread-pool.ts';
import type { ProviderContext, ProviderOutput, ProviderRequest } from '../provider-port.ts';
import type { SandboxModel } from './capabilities.ts';
import type { Drawing, DrawingTask, RawImage } from './drawing/drawing-task.ts';
import { lookOf } from './drawing/look.ts';
import type { Edges } from './output-size.ts';
import { type CommonTask, promptSeed, taskOf, toDrawing } from './to-drawing.ts';

/** Maximum number of raw images in memory. Each takes 64 MiB at the largest size. */
const RENDER_SLOTS = 2;
const POOL = { name: 'draw', worker: '#draw-worker', threads: RENDER_SLOTS } as const;

export interface RenderJob {
  readonly request: ProviderRequest;
  readonly model: SandboxModel;
  readonly pace: Pace;
  readonly signal: AbortSignal;
  readonly onEvent: ProviderContext['onEvent'];
}

interface Rendered {
  readonly outputs: readonly ProviderOutput[];
  readonly size: Edges;
}

/** Creates the renderer, which draws and encodes the images of a call. */
export function createRenderer({ engine }: { readonly engine: ImageEngine }) {
  const pool = createThreadPool<Omit<DrawingTask, 'stop'>, Drawing>(POOL);
  const slots = createSemaphore(RENDER_SLOTS);

  async function draw(job: RenderJob, common: CommonTask, index: number) {
    const { request, signal, onEvent } = job;
    onEvent({ type: 'progress', stage: 'generating', index });
    const drawing = await pool.run(taskOf(common, request, index), signal);
    const encode = (image: RawImage) => engine.encode(toPixels(image), encodingOf(request), signal);
    const bytes = await encode(drawing.image);
    const previews: Buffer[] = [];
    for (const preview of drawing.previews) previews.push(await encode(preview));
    return { bytes, previews };
  }

  return {
    /** Resolves with the outputs. Rejects with the signal's reason if the signal aborts. */
    async render(job: RenderJob): Promise<Rendered> {
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

    /** Resolves when no thread runs any more. */
    close: () => pool.close(),
  };
}

function toPixels({ data, width, height, channels }: RawImage): Pixels {
  return { data: Buffer.from(data), width, height, channels };
}

function encodingOf({ parameters }: ProviderRequest): EncodeOptions {
  const { output_format: format, output_compression: compression } = parameters;
  return { format, ...(compression === null ? {} : { compression }) };
}

/** Returns the prompt, followed by a description of the image that the sandbox draws. */
function revisedPromptOf({ prompt, negativePrompt, images, references }: ProviderRequest): string {
  const away = negativePrompt === undefined ? undefined : promptSeed(negativePrompt);
  const { composition, mood } = lookOf(promptSeed(prompt), away);
  const isColoredByImages = images.length > 1 || references.length > 0;
  const colors = isColoredByImages ? 'the colours of its references' : mood.name;
  const kind = images.length > 0 ? 'painted over with' : 'drawn as';
  return `${prompt} (${kind} ${composition.phrase}, in ${colors})`;
}

/** Spreads the events of a call over its duration, as the events of a real provider are. */
export interface Pace {
  /** Resolves when this share (0 to 1) of the duration has passed. */
  reach(share: number): Promise<void>;
}

/** Creates a pace whose `reach` rejects with the signal's reason if the signal aborts. */
export function createPace(clock: Clock, totalMs: number, signal: AbortSignal): Pace {
  const startMs = clock.monotonicMs();
  return {
    async reach(share) {
      signal.throwIfAborted();
      const leftMs = startMs + totalMs * share - clock.monotonicMs();
      if (leftMs > 0) await sleep(clock, leftMs, signal);
    },
  };
}
