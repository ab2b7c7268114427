import * as v from 'valibot';
import { Refusal } from '../upstream/refusal.ts';

const Link = v.tuple([v.string(), v.pipe(v.number(), v.integer(), v.minValue(0))]);
const Edge = v.pipe(v.number(), v.integer(), v.minValue(16), v.maxValue(16_384), v.multipleOf(8));
const Text = v.string();
const Whole = v.pipe(v.number(), v.integer(), v.minValue(0));

/** The inputs of the nodes of the emulator. */
const NODES: Readonly<Record<string, v.GenericSchema>> = {
  CheckpointLoaderSimple: v.strictObject({ ckpt_name: v.literal('a-model.safetensors') }),
  CLIPTextEncode: v.strictObject({ text: Text, clip: Link }),
  EmptyLatentImage: v.strictObject({ width: Edge, height: Edge, batch_size: Whole }),
  KSampler: v.strictObject({
    seed: Whole,
    steps: Whole,
    cfg: v.number(),
    sampler_name: Text,
    scheduler: Text,
    denoise: v.number(),
    model: Link,
    positive: Link,
    negative: Link,
    latent_image: Link,
  }),
  VAEDecode: v.strictObject({ samples: Link, vae: Link }),
  VAEEncode: v.strictObject({ pixels: Link, vae: Link }),
  VAEEncodeForInpaint: v.strictObject({ pixels: Link, vae: Link, mask: Link, grow_mask_by: Whole }),
  LoadImage: v.strictObject({ image: Text }),
  LoadImageMask: v.strictObject({
    image: Text,
    channel: v.picklist(['alpha', 'red', 'green', 'blue']),
  }),
  SaveImage: v.strictObject({ images: Link, filename_prefix: Text }),
  PreviewImage: v.strictObject({ images: Link }),
};

const OUTPUT_CLASSES = ['SaveImage', 'PreviewImage'];

const Workflow = v.record(
  v.string(),
  v.looseObject({ class_type: v.string(), inputs: v.record(v.string(), v.unknown()) }),
);
export type Workflow = v.InferOutput<typeof Workflow>;

/**
 * Checks a workflow as the server does: its nodes, their inputs, the files that they load. Throws `Refusal` if it is invalid.
 */
export function checkWorkflow(value: unknown, files: ReadonlyMap<string, Buffer>): Workflow {
  const parsed = v.safeParse(Workflow, value);
  if (!parsed.success) throw refused('invalid_prompt');
  const workflow = parsed.output;
  for (const [id, node] of Object.entries(workflow)) checkNode(id, node, workflow, files);
  const hasOutput = Object.values(workflow).some((it) => OUTPUT_CLASSES.includes(it.class_type));
  if (!hasOutput) throw refused('prompt_no_outputs');
  return workflow;
}

function checkNode(
  id: string,
  { class_type: name, inputs }: Workflow[string],
  workflow: Workflow,
  files: ReadonlyMap<string, Buffer>,
): void {
  const schema = NODES[name];
  if (!schema) throw refused('missing_node_type', id);
  if (!v.is(schema, inputs)) throw refused('prompt_outputs_failed_validation', id);
  const links = Object.values(inputs).filter((input) => v.is(Link, input));
  if (links.some(([from]) => !Object.hasOwn(workflow, from))) {
    throw refused('prompt_outputs_failed_validation', id);
  }
  if (name.startsWith('LoadImage') && !files.has(String(inputs['image']))) {
    throw refused('prompt_outputs_failed_validation', id);
  }
}

/** An error reply of the server. `param` is the node at fault. */
function refused(code: string, param?: string): Refusal {
  return new Refusal({ status: 400, code, message: 'the prompt is not valid', param });
}
