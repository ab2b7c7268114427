/** The input of a model that generates, in the form of fal's OpenAPI documents. */
const GENERATE = {
  type: 'object',
  required: ['prompt'],
  properties: {
    prompt: {
      type: 'string',
      title: 'Prompt',
      description: 'The prompt to generate an image from.',
    },
    image_size: {
      anyOf: [
        { $ref: '#/components/schemas/ImageSize' },
        { enum: ['square_hd', 'square', 'portrait_4_3', 'landscape_4_3'], type: 'string' },
      ],
      default: 'landscape_4_3',
    },
    num_images: { type: 'integer', minimum: 1, maximum: 4, default: 1 },
    num_inference_steps: { type: 'integer', minimum: 1, maximum: 50, default: 28 },
    guidance_scale: { type: 'number', minimum: 1, maximum: 20, default: 3.5 },
    seed: { type: 'integer' },
    enable_safety_checker: { type: 'boolean', default: true },
    output_format: { enum: ['jpeg', 'png'], type: 'string', default: 'jpeg' },
    sync_mode: { type: 'boolean', default: false },
  },
};
const EDIT = {
  ...GENERATE,
  required: ['prompt', 'image_url'],
  properties: {
    ...GENERATE.properties,
    image_url: { type: 'string', description: 'The URL of the image to change.' },
    strength: { type: 'number', minimum: 0.01, maximum: 1, default: 0.95 },
  },
};
const IMAGE_SIZE = {
  type: 'object',
  properties: {
    width: { type: 'integer', maximum: 14142, exclusiveMinimum: 0, default: 512 },
    height: { type: 'integer', maximum: 14142, exclusiveMinimum: 0, default: 512 },
  },
};

/** Returns a model in the form of fal's list. `padding` makes the document as long as real ones. */
export function falModel(name: string, edits = false, padding = ''): object {
  const schema = { $ref: '#/components/schemas/Input' };
  const queue = { get: { parameters: [{ name: 'request_id', in: 'path' }] } };
  return {
    endpoint_id: name,
    metadata: {
      display_name: name,
      category: edits ? 'image-to-image' : 'text-to-image',
      status: 'active',
    },
    openapi: {
      openapi: '3.0.4',
      info: { title: name, description: padding },
      paths: {
        [`/${name}/requests/{request_id}/status`]: queue,
        [`/${name}`]: {
          post: { requestBody: { required: true, content: { 'application/json': { schema } } } },
        },
      },
      components: { schemas: { Input: edits ? EDIT : GENERATE, ImageSize: IMAGE_SIZE } },
    },
  };
}

/** Returns one page of fal's list. */
export function falPage(models: readonly object[], cursor: string | null = null): object {
  return { models, next_cursor: cursor, has_more: cursor !== null };
}

/** Returns a model in the form of Replicate's API. */
export function replicateModel(owner: string, name: string): object {
  const ratio = { $ref: '#/components/schemas/aspect_ratio' };
  return {
    url: `https://replicate.com/${owner}/${name}`,
    owner,
    name,
    visibility: 'public',
    latest_version: {
      id: 'a'.repeat(64),
      openapi_schema: {
        openapi: '3.0.2',
        components: {
          schemas: {
            Input: {
              type: 'object',
              title: 'Input',
              required: ['prompt'],
              properties: {
                prompt: { type: 'string', title: 'Prompt', 'x-order': 0 },
                aspect_ratio: { allOf: [ratio], default: '1:1', 'x-order': 1 },
                num_outputs: { type: 'integer', minimum: 1, maximum: 4, default: 1 },
                image_prompt: { type: 'string', format: 'uri', nullable: true },
              },
            },
            aspect_ratio: { type: 'string', title: 'aspect_ratio', enum: ['1:1', '16:9'] },
          },
        },
      },
    },
  };
}
