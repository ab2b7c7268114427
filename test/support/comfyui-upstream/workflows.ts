import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Exports for the API, in the same form as the templates of ComfyUI. */
type Workflow = Readonly<Record<string, { class_type: string; inputs: Record<string, unknown> }>>;

const CHECKPOINT = {
  class_type: 'CheckpointLoaderSimple',
  inputs: { ckpt_name: 'a-model.safetensors' },
};

function text(words: string) {
  return { class_type: 'CLIPTextEncode', inputs: { text: words, clip: ['4', 1] } };
}

function sampler(latent: string) {
  return {
    class_type: 'KSampler',
    inputs: {
      seed: 5,
      steps: 20,
      cfg: 8,
      sampler_name: 'euler',
      scheduler: 'normal',
      denoise: 1,
      model: ['4', 0],
      positive: ['6', 0],
      negative: ['7', 0],
      latent_image: [latent, 0],
    },
  };
}

const ENDING = {
  '8': { class_type: 'VAEDecode', inputs: { samples: ['3', 0], vae: ['4', 2] } },
  '9': { class_type: 'SaveImage', inputs: { filename_prefix: 'ComfyUI', images: ['8', 0] } },
};

/** A workflow that generates an image from a text. */
export const TEXT_TO_IMAGE: Workflow = {
  '3': sampler('5'),
  '4': CHECKPOINT,
  '5': { class_type: 'EmptyLatentImage', inputs: { width: 512, height: 512, batch_size: 1 } },
  '6': text('a bottle'),
  '7': text('watermark'),
  ...ENDING,
};

/** A workflow that generates an image from another image. */
export const IMAGE_TO_IMAGE: Workflow = {
  '3': sampler('12'),
  '4': CHECKPOINT,
  '6': text('a bottle'),
  '7': text('watermark'),
  ...ENDING,
  '10': { class_type: 'LoadImage', inputs: { image: 'example.png' } },
  '12': { class_type: 'VAEEncode', inputs: { pixels: ['10', 0], vae: ['4', 2] } },
};

/** A workflow that generates a part of an image again. */
export const INPAINT: Workflow = {
  ...IMAGE_TO_IMAGE,
  '11': { class_type: 'LoadImageMask', inputs: { image: 'example.png', channel: 'red' } },
  '12': {
    class_type: 'VAEEncodeForInpaint',
    inputs: { pixels: ['10', 0], vae: ['4', 2], mask: ['11', 0], grow_mask_by: 6 },
  },
};

/** A workflow with two images, of which the second is a reference for the first. */
export const TWO_IMAGES: Workflow = {
  ...IMAGE_TO_IMAGE,
  '13': { class_type: 'LoadImage', inputs: { image: 'example.png' } },
  '14': { class_type: 'PreviewImage', inputs: { images: ['13', 0] } },
};

const SIZE = { edge_multiple: 8, max_edge: 2048 };
const WORDS = { output: '9', prompt: '6.text', negative_prompt: '7.text', seed: '3.seed' };

/** Each export with the settings that bind it, by model. */
const MODELS: Readonly<Record<string, { export: Workflow; settings: object }>> = {
  draw: {
    export: TEXT_TO_IMAGE,
    settings: { ...WORDS, ...SIZE, width: '5.width', height: '5.height' },
  },
  redraw: { export: IMAGE_TO_IMAGE, settings: { ...WORDS, ...SIZE, images: ['10.image'] } },
  inpaint: {
    export: INPAINT,
    settings: { ...WORDS, ...SIZE, images: ['10.image'], mask: '11.image' },
  },
  restyle: {
    export: TWO_IMAGES,
    settings: { ...WORDS, ...SIZE, images: ['10.image', '13.image'] },
  },
};

/** Writes the exports into a folder. Resolves with the setting `workflows` for them, as TOML. */
export async function writeWorkflows(folder: string): Promise<string> {
  const entries = await Promise.all(
    Object.entries(MODELS).map(async ([model, { export: workflow, settings }]) => {
      const file = join(folder, `${model}.json`);
      await writeFile(file, JSON.stringify(workflow));
      return `${model} = ${toTable({ file, ...settings })}`;
    }),
  );
  return `{ ${entries.join(', ')} }`;
}

function toTable(settings: object): string {
  const fields = Object.entries(settings).map(
    ([name, value]) => `${name} = ${JSON.stringify(value)}`,
  );
  return `{ ${fields.join(', ')} }`;
}
