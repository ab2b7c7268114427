import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handler as createImage } from '../../../handlers/images/create-image.ts';
import { handler as planImage } from '../../../handlers/images/plan-image.ts';
import { handler as createImageEdit } from '../../../handlers/openai/create-image-edit.ts';
import { handler as createImageGeneration } from '../../../handlers/openai/create-image-generation.ts';
import type { ImagePlan, PlannedRoute } from '../../../lib/contract/reply/image-plan.ts';
import { invoke } from '../../support/invoke.ts';
import { nativeRequests, openAiRequests, openSamples } from './plan-requests.ts';
import { openWorld, PROVIDERS } from './plan-world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let samples: Awaited<ReturnType<typeof openSamples>>;

beforeAll(async () => {
  [world, samples] = await Promise.all([openWorld(), openSamples()]);
});
afterAll(() => world.close());

type Reply = Awaited<ReturnType<typeof invoke>>;

interface ErrorJson {
  readonly error: {
    readonly message: string;
    readonly bridge_ext: { readonly details: { readonly attempts?: readonly object[] } };
  };
}

/** The facts in a real reply about its route, in either format. */
interface Taken extends Pick<PlannedRoute, 'provider' | 'model' | 'effective' | 'normalizations'> {
  readonly warnings: PlannedRoute['warnings'];
  readonly attempts?: readonly { readonly error_code?: string }[];
}

/** The positions of the samples in a request. */
const brought = fc.record({
  images: fc.array(fc.nat(5), { minLength: 1, maxLength: 3 }),
  mask: fc.option(fc.nat(3), { nil: undefined, freq: 3 }),
  references: fc.array(fc.nat(5), { maxLength: 2 }),
});
type Brought = typeof brought extends fc.Arbitrary<infer B> ? B : never;

function imagesOf({ images, mask, references }: Brought, operation: string) {
  const isEdit = operation === 'edit';
  const as = (form: 'sent' | 'described') => ({
    images: isEdit ? images.map((index) => samples.images[index]?.[form]) : [],
    mask: isEdit && mask !== undefined ? samples.masks[mask]?.[form] : null,
    reference_images: references.map((index) => samples.images[index]?.[form]),
  });
  return { sent: as('sent'), described: as('described') };
}

const seen = { made: 0, refused: 0, invalid: 0 };

describe('a plan', () => {
  it('equals the outcome of the request, for any request', async () => {
    await fc.assert(
      fc.asyncProperty(nativeRequests(PROVIDERS), brought, async (request, images) => {
        const { sent, described } = imagesOf(images, request.operation);

        const plan = await post(planImage, { ...request, ...described });
        const before = PROVIDERS.map((name) => world.callsOf(name).length);
        const real = await post(createImage, { ...request, ...sent });

        expectAgreement(plan, real, before, real.json as Taken);
      }),
      { numRuns: 300 },
    );
    // A property test that never generates one of these cases proves nothing about it.
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(20);
  });

  it('equals the outcome of a request of the OpenAI-compatible routes, with the field names of the caller', async () => {
    await fc.assert(
      fc.asyncProperty(openAiRequests(PROVIDERS), fc.nat(5), async (request, index) => {
        const { operation, ...fields } = request;
        const sample = samples.images[index];
        const isEdit = operation === 'edit';
        const [described, sent] = [[sample?.described], [{ image_url: dataUrlOf(sample?.sent) }]];

        const plan = await post(planImage, {
          openai: { ...request, ...(isEdit ? { images: described } : {}) },
        });
        const before = PROVIDERS.map((name) => world.callsOf(name).length);
        const real = isEdit
          ? await post(createImageEdit, { ...fields, images: sent })
          : await post(createImageGeneration, fields);

        const { bridge_ext: taken } = real.json as { bridge_ext: Taken };
        expectAgreement(plan, real, before, taken);
      }),
      { numRuns: 150 },
    );
  });
});

type Handler = typeof planImage | typeof createImage | typeof createImageEdit;

function post(handler: Handler, body: object): Promise<Reply> {
  return invoke<typeof world.services>(handler, { method: 'POST', body }, world.services);
}

function dataUrlOf(input: object | undefined): string {
  const { data } = input as { data: string };
  const format = data.startsWith('iVBOR') ? 'png' : data.startsWith('/9j/') ? 'jpeg' : 'webp';
  return `data:image/${format};base64,${data}`;
}

function expectAgreement(plan: Reply, real: Reply, before: readonly number[], taken: Taken): void {
  if (plan.status !== 200) {
    seen.invalid += 1;
    expect(plan.status).toBe(real.status);
    expect(withoutPrefix((plan.json as ErrorJson).error)).toEqual((real.json as ErrorJson).error);
    return;
  }
  const { chosen, routes } = plan.json as ImagePlan;
  if (real.status !== 200) {
    seen.refused += 1;
    expect(chosen).toBeNull();
    expectRefusal(routes, (real.json as ErrorJson).error);
    return;
  }
  seen.made += 1;
  const row = routes[chosen ?? -1];
  expect(row).toMatchObject({
    provider: taken.provider,
    model: taken.model,
    ready: true,
    effective: taken.effective,
    normalizations: taken.normalizations,
  });
  for (const warning of ['negative_prompt_merged', 'ignored_parameters'] as const) {
    expect(row?.warnings.includes(warning)).toBe(taken.warnings.includes(warning));
  }
  const isConverted = taken.warnings.includes('output_format_converted');
  expect(row?.warnings.includes('output_format_converted')).toBe(isConverted);
  for (const [index, { error_code: code }] of (taken.attempts ?? []).entries()) {
    if (code === 'authentication') expect(routes[index]?.ready).toBe(false);
    else expect(routes[index]?.error?.code).toBe(code);
  }
  expectCalls(row, before);
}

/**
 * Returns the error of the last tried route or, if no attempts are listed, of the whole request on the first route with a
 * plan.
 */
function expectRefusal(routes: readonly PlannedRoute[], error: ErrorJson['error']): void {
  const { attempts, ...details } = error.bridge_ext.details;
  const row =
    attempts || routes.length === 1
      ? routes[(attempts?.length ?? 1) - 1]
      : routes.find((route) => route.error?.code !== 'unsupported_capability');
  if (row?.error?.details['reason'] === 'not_ready') {
    expect(row).toMatchObject({ ready: false, error: { code: 'authentication' } });
    expect(error.message).toBe('there is no login');
    return;
  }
  expect({ ...row?.error, details: row?.error?.details }).toEqual({
    message: error.message,
    ...error.bridge_ext,
    details: withoutPayload(details),
  });
  expect(row).toMatchObject({ calls: 0, normalizations: [], warnings: [] });
}

/** A described image has no member that contains its bytes. */
function withoutPayload(details: object): object {
  const { field, ...others } = details as { field?: string };
  const plain = field?.replace(/\.(data|data_url|image_url)$/, '');
  return field === undefined ? others : { ...others, field: plain };
}

/** The issues of the wrapped body name its own fields. */
function withoutPrefix(error: object): object {
  return JSON.parse(JSON.stringify(error).replaceAll('"openai.', '"'));
}

function expectCalls(row: PlannedRoute | undefined, before: readonly number[]): void {
  const earlier = before[PROVIDERS.indexOf(row?.provider ?? '')] ?? 0;
  const calls = world.callsOf(row?.provider ?? '').slice(earlier);
  expect(calls).toHaveLength(row?.calls ?? -1);
  for (const { request } of calls) {
    const { transparency } = row ?? {};
    const keyColor = transparency?.mode === 'chroma_key' ? transparency.key_color : undefined;
    expect(request.keyColor).toBe(keyColor);
    expect(request.parameters.background === 'transparent').toBe(transparency?.mode === 'native');
  }
}
