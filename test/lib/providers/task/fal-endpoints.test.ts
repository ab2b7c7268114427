import { describe, expect, it } from 'vitest';
import { type MappedInputs, mapInputs } from '../../../../lib/providers/task/input-mapping.ts';
import { readInputMembers } from '../../../../lib/providers/task/input-members.ts';
import { toTaskModel } from '../../../../lib/providers/task/schema-model.ts';
import type { ImageTexts, TaskModel } from '../../../../lib/providers/task/task-service.ts';
import { readEndpoints } from '../../../support/fal-endpoints/endpoint-schemas.ts';
import { typeFaults } from '../../../support/fal-endpoints/type-check.ts';
import { agentRequest, inputOf, type RequestParts } from '../agent-responses/requests.ts';

// Every endpoint of fal's client that makes images from prompts. The client contains the types of 1,207 endpoints.
const ENDPOINTS = readEndpoints().flatMap(({ name, schema, makesImages }) => {
  const members = readInputMembers({ input: schema }, '/input');
  const mapped = makesImages && members ? mapInputs(members) : undefined;
  return mapped ? [{ name, mapped }] : [];
});
const DESCRIBED = ENDPOINTS.filter(({ mapped }) => mapped.unfilled.length === 0);

const SOURCE = inputOf(Buffer.from('source'));
const TEXTS: ImageTexts = { base64: () => 'aW1hZ2U=', url: () => 'https://image.test/1.png' };

function modelOf({ mapping }: MappedInputs): TaskModel {
  const edit = mapping.images ? { edit: { mapping } } : {};
  const generate = (mapping.images?.min ?? 0) > 0 ? {} : { generate: mapping };
  return toTaskModel({ ...edit, ...generate }, { maxTotalBytes: 1e8 });
}

/** Returns one request for each value that the document of a model offers. */
function requestsFor({ capabilities, maskForm, maxImagesPerTask = 1 }: TaskModel) {
  const { sizes, edits, edit_images, reference_images, generation } = capabilities;
  const size = sizes.auto ? 'auto' : (sizes.allowed[0] ?? 'auto');
  const choices: readonly NonNullable<RequestParts['parameters']>[] = [
    ...sizes.allowed.map((allowed) => ({ size: allowed })),
    ...(capabilities.aspect_ratios ?? []).map((aspect_ratio) => ({ aspect_ratio })),
    ...(capabilities.resolutions ?? []).map((resolution) => ({ resolution })),
    ...(capabilities.qualities ?? []).map((quality) => ({ quality })),
    ...(capabilities.backgrounds ?? []).map((background) => ({ background })),
    ...(capabilities.output_formats ?? []).map((output_format) => ({ output_format })),
  ];
  const images = Array.from({ length: edit_images.max_count }, () => SOURCE);
  const isPaired = reference_images.max_count > 0;
  const inputs: readonly RequestParts[] = [
    ...(generation ? [{}] : []),
    ...(edits ? [{ images }, { images, ...(maskForm ? { mask: SOURCE } : {}) }] : []),
    ...(edits && isPaired ? [{ images: images.slice(0, 1), references: images.slice(1) }] : []),
  ];
  const indices = Array.from({ length: maxImagesPerTask }, (_, at) => at);
  return inputs.flatMap((parts) => [
    agentRequest({ ...parts, indices, parameters: { size } }),
    ...choices.map((parameters) => agentRequest({ ...parts, parameters: { size, ...parameters } })),
  ]);
}

/** Returns the requests that the model does not refuse. A model may need a mask or several images. */
function acceptedBy(model: TaskModel) {
  return requestsFor(model).filter((request) => {
    try {
      model.refuse?.(request, {});
      return true;
    } catch (error) {
      expect(error).toMatchObject({ code: 'unsupported_capability' });
      return false;
    }
  });
}

describe('the inputs of a model from its input schema', () => {
  it("fill every required member of at least 359 of fal's endpoints", () => {
    expect(ENDPOINTS.length).toBeGreaterThanOrEqual(384);
    expect(DESCRIBED.length).toBeGreaterThanOrEqual(359);
  });

  it("have the types of fal's own client for every value that a document offers", async () => {
    const bodies = DESCRIBED.flatMap(({ name, mapped }) => {
      const model = modelOf(mapped);
      return acceptedBy(model).map((request) => ({
        endpoint: name,
        body: model.inputs({ request, model, constants: {}, seed: 7 }, TEXTS),
      }));
    });

    expect(new Set(bodies.map(({ endpoint }) => endpoint)).size).toBe(DESCRIBED.length);
    expect(await typeFaults(bodies)).toEqual([]);
    // Otherwise the compiler might have checked nothing.
    const wrong = { endpoint: 'fal-ai/flux/dev', body: { prompt: 'A gull', pixels: 1 } };
    expect(await typeFaults([wrong])).toHaveLength(1);
  });
});
