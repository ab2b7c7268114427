import type { Parameters } from '../../../../lib/contract/request/parameters.ts';
import type { Pixels, VerifiedImage } from '../../../../lib/images/image.ts';
import { createImageEngine } from '../../../../lib/images/image-engine.ts';
import { type Clock, systemClock } from '../../../../lib/platform/clock.ts';
import type {
  ProviderEvent,
  ProviderInput,
  ProviderRequest,
  ProviderResult,
} from '../../../../lib/providers/provider-port.ts';
import { createSandboxProvider } from '../../../../lib/providers/sandbox/provider.ts';
import { slices } from '../../../support/slices.ts';

const limits = {
  max_encoded_bytes: 32 * 1024 * 1024,
  max_edge: 16_384,
  max_pixels: 64 * 1024 * 1024,
  max_decode_ms: 10_000,
};

const anySignal = new AbortController().signal;

export type RequestParts = Partial<Omit<ProviderRequest, 'parameters'>> & {
  readonly parameters?: Partial<Parameters>;
};

/** Returns a request for one small image, changed by `parts`. */
export function sandboxRequest({ parameters, ...parts }: RequestParts = {}): ProviderRequest {
  const indices = parts.indices ?? [0];
  return {
    model: 'sandbox-image',
    operation: (parts.images ?? []).length > 0 ? 'edit' : 'generate',
    prompt: 'A lighthouse in a storm',
    images: [],
    references: [],
    ...parts,
    indices,
    parameters: {
      n: indices.length,
      size: '96x64',
      aspect_ratio: null,
      resolution: null,
      quality: 'auto',
      output_format: 'png',
      output_compression: null,
      background: 'auto',
      moderation: 'auto',
      partial_images: 0,
      failure_policy: 'fail_fast',
      action: 'auto',
      input_fidelity: null,
      ...parameters,
    },
  };
}

export interface Ran extends ProviderResult {
  readonly events: readonly ProviderEvent[];
}

interface RunOptions {
  readonly attempt?: number;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: ProviderEvent) => void;
}

export type SandboxRig = ReturnType<typeof createSandboxRig>;

/** Creates the sandbox with a real engine. `latencyMs` passes on `clock`. */
export function createSandboxRig({ latencyMs = 0, clock = systemClock as Clock } = {}) {
  const engine = createImageEngine({ limits, clock: systemClock, slices });
  const provider = createSandboxProvider({
    name: 'sandbox',
    settings: { enabled: true, latency_ms: latencyMs },
    engine,
    clock,
  });

  async function verified(bytes: Buffer): Promise<VerifiedImage> {
    const inspection = await engine.inspect(bytes, anySignal);
    if (!inspection.ok) throw new Error(inspection.fault);
    return inspection.image;
  }

  async function run(parts: RequestParts = {}, options: RunOptions = {}): Promise<Ran> {
    const events: ProviderEvent[] = [];
    const result = await provider.execute(sandboxRequest(parts), {
      requestId: 'a-request',
      attempt: options.attempt ?? 1,
      signal: options.signal ?? anySignal,
      onEvent(event) {
        events.push(event);
        options.onEvent?.(event);
      },
      accepted: async () => false,
      billedAs: () => {},
      remainingMs: () => 60_000,
    });
    return { ...result, events };
  }

  return {
    engine,
    provider,
    verified,
    run,

    /** Returns the first output, verified. */
    async draw(parts: RequestParts = {}): Promise<VerifiedImage> {
      const [output] = (await run(parts)).outputs;
      if (!output) throw new Error('no output');
      return verified(output.bytes);
    },

    /** Width and height as stored, before the EXIF orientation is applied. */
    async pixels(image: VerifiedImage, channels: 3 | 4 = 3): Promise<Pixels> {
      return engine.decode(image, { channels }, anySignal);
    },

    async input(bytes: Buffer): Promise<ProviderInput> {
      const { format, ...image } = await verified(bytes);
      return { ...image, mediaType: `image/${format}` };
    },

    async close(): Promise<void> {
      await provider.close();
      await engine.close();
    },
  };
}
