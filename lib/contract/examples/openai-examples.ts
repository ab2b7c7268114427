import {
  CREATED,
  DELIVERED,
  type Examples,
  PARAMETERS,
  PNG_BASE64,
  REQUEST_ID,
  TIMINGS,
} from './shared-values.ts';

const MODEL = { id: 'sandbox-image', object: 'model', created: CREATED, owned_by: 'sandbox' };

const EVENT = {
  b64_json: PNG_BASE64,
  created_at: CREATED,
  size: 'auto',
  quality: 'auto',
  background: 'auto',
  output_format: 'png',
};

/** Examples of replies of the OpenAI-compatible routes, by component. */
export const OPENAI_EXAMPLES: Examples = {
  OpenAiImages: {
    inline: {
      summary: 'The image inside the reply',
      value: {
        created: CREATED,
        data: [{ b64_json: PNG_BASE64 }],
        background: 'opaque',
        output_format: 'png',
        size: '1x1',
        bridge_ext: {
          id: REQUEST_ID,
          provider: 'sandbox',
          model: 'sandbox-image',
          effective: PARAMETERS,
          normalizations: [],
          timings: TIMINGS,
          delivered: DELIVERED,
          ignored_parameters: ['style'],
          warnings: ['sandbox_output', 'ignored_parameters'],
        },
      },
    },
  },
  OpenAiGenerationEvent: {
    partial: {
      summary: 'A partial image',
      value: { type: 'image_generation.partial_image', partial_image_index: 0, ...EVENT },
    },
    completed: {
      summary: 'A finished image',
      value: { type: 'image_generation.completed', ...EVENT },
    },
  },
  OpenAiEditEvent: {
    completed: { summary: 'A finished image', value: { type: 'image_edit.completed', ...EVENT } },
  },
  Model: { sandbox: { summary: 'One model', value: MODEL } },
  ModelList: { list: { summary: 'All models', value: { object: 'list', data: [MODEL] } } },
};
