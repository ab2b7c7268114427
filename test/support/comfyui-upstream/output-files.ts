import sharp from 'sharp';
import type { ImageOrder, Images } from '../upstream/images.ts';
import { padPng } from '../upstream/png-chunks.ts';
import type { Workflow } from './check-workflow.ts';
import type { TakenPrompt } from './prompt-queue.ts';

interface Deps {
  readonly images: Images;
  readonly inputs: () => ReadonlyMap<string, Buffer>;
  readonly imageBytes: number;
}

interface StoredImage {
  readonly filename: string;
  readonly subfolder: string;
  readonly type: 'output' | 'temp';
}

const HUGE_BYTES = 40_000_000;
const OUTPUT_CLASSES = ['SaveImage', 'PreviewImage'];

/** Draws the outputs of prompts and stores them for `GET /view`. */
export function createOutputFiles({ images, inputs, imageBytes }: Deps) {
  const files = new Map<string, Buffer>();
  let drawn = 0;

  async function draw({ workflow, behaviour }: TakenPrompt): Promise<object> {
    const nodes = Object.entries(workflow).filter(([, it]) =>
      OUTPUT_CLASSES.includes(it.class_type),
    );
    const outputs: Record<string, object> = {};
    for (const [id] of nodes) {
      const count = behaviour.output === 'nothing' ? 0 : behaviour.output === 'two' ? 2 : 1;
      const made: StoredImage[] = [];
      for (let index = 0; index < count; index += 1)
        made.push(await drawOne(workflow, behaviour.output));
      outputs[id] = { images: made };
    }
    return outputs;
  }

  async function drawOne(workflow: Workflow, kind: TakenPrompt['behaviour']['output']) {
    drawn += 1;
    const format = kind === 'jpeg' ? 'jpeg' : 'png';
    const size = await sizeOf(workflow, inputs());
    const order: ImageOrder = {
      ...size,
      format,
      hasAlpha: false,
      bytes: imageBytes,
      variant: `${drawn}`,
    };
    const { bytes } = await images.generate(order);
    const stored: StoredImage = {
      filename: `ComfyUI_${String(drawn).padStart(5, '0')}_.${format}`,
      subfolder: 'a folder',
      type: kind === 'temp' ? 'temp' : 'output',
    };
    files.set(keyOf(stored), spoiled(bytes, kind));
    return stored;
  }

  return {
    draw,
    /** Returns the file that the query of `GET /view` names. */
    find: (query: URLSearchParams) =>
      files.get(keyOf(Object.fromEntries(query) as unknown as StoredImage)),
  };
}

function keyOf({ filename, subfolder, type }: StoredImage): string {
  return `${type}/${subfolder}/${filename}`;
}

function spoiled(bytes: Buffer, kind: TakenPrompt['behaviour']['output']): Buffer {
  if (kind === 'empty') return Buffer.alloc(0);
  if (kind === 'huge') return padPng(bytes, HUGE_BYTES);
  return kind === 'truncated' ? bytes.subarray(0, Math.floor(bytes.length / 2)) : bytes;
}

/** Returns the dimensions of the empty latent image, or of the first loaded image, which ComfyUI rotates by its EXIF data. */
async function sizeOf(workflow: Workflow, inputs: ReadonlyMap<string, Buffer>) {
  const nodes = Object.values(workflow);
  const empty = nodes.find((it) => it.class_type === 'EmptyLatentImage');
  if (empty)
    return { width: Number(empty.inputs['width']), height: Number(empty.inputs['height']) };
  const loaded = nodes.find((it) => it.class_type === 'LoadImage');
  const { autoOrient } = await sharp(inputs.get(String(loaded?.inputs['image']))).metadata();
  // The latent image has an eighth of the dimensions of the image.
  const toEdge = (edge: number) => Math.floor(edge / 8) * 8;
  return { width: toEdge(autoOrient.width), height: toEdge(autoOrient.height) };
}
