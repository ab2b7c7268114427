import { Refusal } from '../../upstream/refusal.ts';
import type { FilePart } from '../request/fields.ts';
import type { ImageCall, SentImage } from '../request/image-call.ts';
import { readLocalRequest, toSize } from '../request/local-request.ts';
import { toSentImage } from '../request/sent-image.ts';
import { checkBearer } from './check-bearer.ts';
import type { Dialect } from './dialect.ts';

const EXTRA_ARGUMENTS = /<sd_cpp_extra_args>(.*?)<\/sd_cpp_extra_args>/;
const DEFAULTS = {
  width: 512,
  height: 512,
  format: 'png',
  responseFormat: 'b64_json',
  seed: 42,
} as const;

/** The server of stable-diffusion.cpp (examples/server/routes_openai.cpp). Further arguments are hidden in the prompt. */
export const sdcpp: Dialect = {
  about: 'the server of stable-diffusion.cpp: seed and negative prompt inside the prompt',
  basePath: '/v1',
  routes: { '/v1/images/generations': 'generate', '/v1/images/edits': 'edit' },
  models: ['sd-cpp-local'],
  hasKey: false,

  checkHead: checkBearer,
  async toCall(operation, fields) {
    const files = await readFiles(operation, fields.files);
    const [source] = files.images;
    const { width, height } = source && !toSize(String(fields.values['size'])) ? source : DEFAULTS;
    const call = readLocalRequest(operation, fields, { ...DEFAULTS, width, height });
    if (operation === 'edit' && call.format === 'webp') {
      throw new Refusal({ status: 400, code: 'format', message: 'invalid output_format' });
    }
    // These two are not separate fields of a request.
    return { ...withExtraArguments({ ...call, seed: 42, negativePrompt: undefined }), ...files };
  },
  toErrorBody: ({ message }) => ({ error: message }),
  replyMembers: ({ format }) => ({ output_format: format }),
  itemMembers: () => ({}),
  replyHeaders: () => ({}),
};

function withExtraArguments(call: ImageCall): ImageCall {
  const json = EXTRA_ARGUMENTS.exec(call.prompt)?.[1];
  if (json === undefined) return call;
  const prompt = call.prompt.replaceAll(new RegExp(EXTRA_ARGUMENTS, 'g'), '');
  try {
    const { seed = call.seed, negative_prompt: negativePrompt } = JSON.parse(json);
    return { ...call, prompt, seed, negativePrompt };
  } catch {
    throw new Refusal({ status: 400, code: 'args', message: 'invalid sd_cpp_extra_args' });
  }
}

/** Reads the images. Images other than PNG are skipped, and the mask is read as grey. */
async function readFiles(
  operation: ImageCall['operation'],
  files: readonly FilePart[],
): Promise<Pick<ImageCall, 'images' | 'mask'>> {
  if (operation === 'generate') return { images: [] };
  const parts = files.filter(({ name }) => name === 'image[]');
  const used = parts.length > 0 ? parts : files.filter(({ name }) => name === 'image').slice(0, 1);
  if (used.length === 0) {
    throw new Refusal({ status: 400, code: 'image', message: 'at least one image[] required' });
  }
  const images: SentImage[] = [];
  for (const { bytes } of used) {
    const image = await toSentImage(bytes);
    if (image?.format === 'png') images.push(image);
  }
  const mask = files.find(({ name }) => name === 'mask');
  return { images, mask: mask && (await toSentImage(mask.bytes)) };
}
