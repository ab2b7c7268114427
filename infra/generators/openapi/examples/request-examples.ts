import { ARTIFACT_ID, type Examples, PNG_BASE64 } from './shared-values.ts';

const DATA_URL = `data:image/png;base64,${PNG_BASE64}`;

const TEMPLATE = {
  operation: 'generate',
  prompt: 'a flat icon of a lighthouse',
  parameters: { size: '1024x1024', background: 'transparent' },
  output: { response_format: 'artifact', directory: 'icons' },
  routing: {},
  session: {},
  policies: { compatibility: 'normalize' },
  metadata: {},
};

/** Examples of requests, by component. */
export const REQUEST_EXAMPLES: Examples = {
  ImageRequest: {
    generate: {
      summary: 'An image from a prompt',
      value: { prompt: 'a ginger cat asleep on a windowsill, morning light' },
    },
    several: {
      summary: 'Two large images as artifacts',
      value: {
        prompt: 'a lighthouse on a cliff, gouache',
        negative_prompt: 'people, text',
        parameters: { n: 2, size: '1536x1024', quality: 'high', output_format: 'webp' },
        output: {
          response_format: 'artifact',
          directory: 'lighthouses',
          filename_prefix: 'gouache',
        },
        policies: { compatibility: 'normalize' },
        metadata: { project: 'calendar' },
      },
    },
    edit: {
      summary: 'An edit of an image',
      value: {
        operation: 'edit',
        prompt: 'make it night, keep everything else',
        images: [{ type: 'data_url', data_url: DATA_URL, filename: 'day.png' }],
      },
    },
    continued: {
      summary: 'An earlier image of the bridge, with its background removed',
      value: {
        operation: 'edit',
        prompt: 'only the cat',
        images: [{ type: 'artifact', artifact_id: ARTIFACT_ID }],
        parameters: { background: 'transparent' },
        output: { transparency: { mode: 'chroma_key', key_color: '#00FF00' } },
        policies: { compatibility: 'normalize' },
      },
    },
  },
  ImagePlanBatch: {
    race: {
      summary: 'Two prompts on two models',
      value: {
        prompts: ['a lake at dusk', 'a lake at noon'],
        routes: [
          { provider: 'sandbox', model: 'sandbox-image' },
          { provider: 'sandbox', model: 'sandbox-basic' },
        ],
      },
    },
  },
  ImagePlanBody: {
    native: {
      summary: 'An edit of a described image',
      value: {
        operation: 'edit',
        prompt: 'only the cat',
        images: [
          { type: 'described', format: 'jpeg', width: 4032, height: 3024, bytes: 3_145_728 },
        ],
        parameters: { background: 'transparent' },
        routing: { provider: 'sandbox', model: 'sandbox-basic' },
      },
    },
    openai: {
      summary: 'A request of an OpenAI-compatible route',
      value: { openai: { operation: 'generate', prompt: 'a ginger cat', quality: 'hd' } },
    },
  },
  ImageJobCreate: {
    urgent: {
      summary: 'A job with a high priority',
      value: { prompt: 'a ginger cat', parameters: { n: 3 }, priority: 50 },
    },
    labelled: {
      summary: 'A job with labels',
      value: { prompt: 'a ginger cat', labels: ['cats', 'Frühling'] },
    },
    webhook: {
      summary: 'A job with a webhook',
      value: {
        prompt: 'a ginger cat',
        webhook: { url: 'https://hooks.example.com/jobs', events: ['succeeded', 'failed'] },
      },
    },
  },
  ImageJobBatch: {
    cancel: {
      summary: 'Cancel the queued jobs',
      value: { action: 'cancel', filter: { status: 'queued' }, expected_count: 60 },
    },
    label: {
      summary: 'Add a label to two jobs',
      value: {
        action: 'label',
        ids: ['01928c3a-7f00-7000-8000-0000000000a1', '01928c3a-7f00-7000-8000-0000000000a2'],
        add_labels: ['spring'],
      },
    },
  },
  ImageQueuePatch: { pause: { summary: 'Pause the queue', value: { paused: true } } },
  ImageJobPatch: {
    favorite: { summary: 'Mark the job as a favourite', value: { favorite: true } },
    hide: { summary: 'Hide the job', value: { deleted: true } },
    label: { summary: 'Replace the labels of the job', value: { labels: ['cats'] } },
  },
  ImageArtifactPatch: {
    favorite: { summary: 'Mark the image as a favourite', value: { favorite: true } },
    note: { summary: 'Write a note', value: { note: 'for the cover' } },
  },
  ImagePresetCreate: {
    icons: {
      summary: 'A preset for icons',
      value: { name: 'icons', description: 'Flat icons on nothing', template: TEMPLATE },
    },
  },
  ImagePresetReplace: {
    icons: { summary: 'The same preset without a description', value: { template: TEMPLATE } },
  },
  OpenAiImageGeneration: {
    plain: {
      summary: 'A request of an OpenAI client',
      value: { model: 'gpt-image-2', prompt: 'a ginger cat', n: 1, size: '1024x1024' },
    },
    extended: {
      summary: 'A request with fields of the bridge',
      value: {
        prompt: 'a ginger cat',
        quality: 'hd',
        bridge_ext: { provider: 'sandbox', negative_prompt: 'text', timeout_ms: 60_000 },
      },
    },
  },
  OpenAiImageEdit: {
    edit: {
      summary: 'An edit of an image',
      value: { prompt: 'make it night', images: [{ image_url: DATA_URL }] },
    },
  },
};
