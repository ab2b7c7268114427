import fc from 'fast-check';
import sharp from 'sharp';
import { image } from '../../lib/generation/images.ts';
import { fromPixels, textured } from '../../lib/images/sample-images.ts';

/** An image of a request as sent, and as described in a plan. */
interface Sample {
  readonly sent: object;
  readonly described: object;
}

async function sampleOf(bytes: Buffer): Promise<Sample> {
  const { format, width, height } = await sharp(bytes).metadata();
  return {
    sent: { type: 'base64', data: bytes.toString('base64') },
    described: { type: 'described', format, width, height, bytes: bytes.length },
  };
}

/** Images and masks below and above the limits in `LIMITS`. */
export async function openSamples() {
  const noise = (edge: number) => fromPixels(textured(edge, edge)).png().toBuffer();
  const bytes = await Promise.all([
    image(),
    image({ format: 'jpeg', width: 48, height: 32 }),
    image({ format: 'webp' }),
    image({ width: 100, height: 20 }),
    noise(30),
    noise(60),
  ]);
  const masks = await Promise.all([
    image({ alpha: 0.5 }),
    image({ alpha: 0.5, width: 48, height: 32 }),
    image({ format: 'jpeg' }),
    image({ alpha: 0.5, width: 200 }),
  ]);
  return {
    images: await Promise.all(bytes.map(sampleOf)),
    masks: await Promise.all(masks.map(sampleOf)),
  };
}

/** Sets each image limit so that some samples exceed it. */
export const LIMITS = [
  'images.max_edge=64',
  'inputs.max_bytes_each=3000',
  'inputs.max_bytes_total=4000',
];

const optional = <T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(model, { requiredKeys: [] });

const parameters = optional({
  n: fc.integer({ min: 1, max: 6 }),
  size: fc.constantFrom('auto', '1024x1024', '1000x700', '64x64', '9000x16', '3840x2160'),
  quality: fc.constantFrom('auto', 'low', 'high', 'max'),
  output_format: fc.constantFrom('png', 'jpeg', 'webp'),
  background: fc.constantFrom('auto', 'opaque', 'transparent', 'transparent'),
  moderation: fc.constantFrom('auto', 'low'),
  partial_images: fc.integer({ min: 0, max: 3 }),
});

const rareParameters = optional({
  aspect_ratio: fc.constantFrom('16:9', '1:1', '7:5', null),
  resolution: fc.constantFrom('1k', '4k', null),
  output_compression: fc.constantFrom(null, 80),
  failure_policy: fc.constantFrom('fail_fast', 'best_effort'),
  action: fc.constantFrom('auto', 'generate', 'edit'),
  input_fidelity: fc.constantFrom('low', 'high', null),
});

const mostly = <T>(often: T, other: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(often) }, { weight: 1, arbitrary: other });

const compatibility = fc.constantFrom('strict', 'normalize', 'normalize', 'best_effort');

/** Native requests without images. Most are valid. */
export const nativeRequests = (providers: readonly string[]) => {
  const provider = fc.constantFrom(...providers);
  return fc.record({
    prompt: fc.constantFrom('a boat', 'a green frog on a red leaf', 'a fox'),
    operation: fc.constantFrom('generate', 'edit'),
    negative_prompt: mostly<string | null>(null, fc.constant('people')),
    parameters: fc
      .tuple(parameters, mostly<object>({}, rareParameters))
      .map(([some, rare]) => ({ ...some, ...rare })),
    output: mostly<object>(
      {},
      optional({
        response_format: fc.constantFrom('b64_json', 'artifact', 'metadata'),
        metadata: fc.constantFrom('none', 'embedded'),
        transparency: optional({
          mode: fc.constantFrom('auto', 'native', 'chroma_key'),
          key_color: fc.constantFrom('#0000FF', null),
        }),
      }),
    ),
    routing: optional({
      provider,
      model: mostly<string | undefined>(undefined, fc.constantFrom('sandbox-1', 'nothing-1')),
      fallbacks: fc.uniqueArray(fc.record({ provider }), {
        maxLength: 3,
        selector: (route) => route.provider,
      }),
      fallback_policy: fc.constantFrom('on_unavailable', 'on_error'),
    }),
    session: mostly<object>(
      { mode: 'isolated' },
      fc.constantFrom(
        { mode: 'persistent', key: 'storyboard' },
        { mode: 'thread', thread_id: 'never made' },
      ),
    ),
    policies: fc.record({
      compatibility,
      negative_prompt: fc.constantFrom('auto', 'native', 'merge', 'reject'),
      revised_prompt: fc.constantFrom('include', 'omit'),
      batch_execution: fc.constantFrom('auto', 'sequential'),
    }),
    metadata: mostly<object>({}, fc.constant(longMetadata())),
  });
};

/** Requests of the OpenAI-compatible routes without images, in the form of the wrapped body. */
export const openAiRequests = (providers: readonly string[]) =>
  fc.record(
    {
      operation: fc.constantFrom('generate', 'edit'),
      prompt: fc.constantFrom('a boat', 'a green frog'),
      n: fc.integer({ min: 1, max: 4 }),
      size: fc.constantFrom('auto', '1024x1024', '1000x700'),
      quality: fc.constantFrom('auto', 'standard', 'hd'),
      output_format: fc.constantFrom('png', 'jpeg', 'webp'),
      background: fc.constantFrom('auto', 'opaque', 'transparent'),
      model: fc.constantFrom('sandbox-1', 'small/small-1', 'nothing-1'),
      style: fc.constant('vivid'),
      bridge_ext: optional({
        provider: fc.constantFrom(...providers),
        compatibility,
        negative_prompt: fc.constant('people'),
        aspect_ratio: fc.constantFrom('16:9', '1:1'),
      }),
    },
    { requiredKeys: ['operation', 'prompt'] },
  );

/** The greatest number of images of a request. */
function longMetadata(): object {
  const value = '\u0001'.repeat(512);
  return Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`key-${index}`, value]));
}
