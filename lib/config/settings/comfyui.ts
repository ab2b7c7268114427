import * as v from 'valibot';
import { closedObject } from '../../contract/schema/closed-object.ts';
import { keyed, section, text } from '../values/field.ts';
import { schemaMap } from '../values/field-collections.ts';
import { NAME } from '../values/text-rules.ts';
import {
  ALL_AT_ONCE,
  BACKEND_RULES,
  backend,
  outputs,
  retries,
  sourceType,
} from './provider-fields.ts';

const NODE = /^[^.\s]{1,64}$/;
const MAX_IMAGES = 16;

const File = v.pipe(v.string(), v.regex(/^[^\0]+$/, 'must be a path'));
const Node = v.pipe(v.string(), v.regex(NODE, 'must be a node id'));
const Binding = v.pipe(
  v.string(),
  v.regex(/^[^.\s]{1,64}\.[^\s]{1,64}$/, 'must be a node input, such as 6.text'),
);
const Edge = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(1, 'must be at least 1'),
  v.maxValue(16_384, 'must be at most 16384'),
);

/** A ComfyUI workflow in API format, with the node input for each feature. A feature without a node input is not supported. */
const Workflow = closedObject({
  file: File,
  /** The node whose first image is the output. */
  output: Node,
  prompt: Binding,
  negative_prompt: v.optional(Binding),
  seed: v.optional(Binding),
  width: v.optional(Binding),
  height: v.optional(Binding),
  images: v.optional(
    v.pipe(
      v.array(Binding),
      v.minLength(1, 'must have at least 1 item'),
      v.maxLength(MAX_IMAGES, `must have at most ${MAX_IMAGES} items`),
    ),
  ),
  mask: v.optional(Binding),
  edge_multiple: Edge,
  max_edge: Edge,
});

/** The settings of a provider for a ComfyUI server. Each workflow is a model. */
export const COMFYUI = keyed(
  'own',
  section({
    ...backend({ default: 'http://127.0.0.1:8188' }),
    workflows: schemaMap({
      schema: Workflow,
      expects:
        'a table of models, each a table with `file`, `output`, `prompt`, `edge_multiple` and `max_edge`, and optionally `negative_prompt`, `seed`, `width`, `height`, `images` and `mask`',
      about:
        'Workflows by model. Each table names the file with the API export of the workflow, the output node, and the node inputs for the prompt, the seed and other parameters.',
    }),
    image_model: text({
      default: '',
      unset: 'none: a value is required',
      rule: NAME,
      about: 'Default model. Must be one of the keys of `workflows`.',
    }),
    ...outputs({ default: 1, auto: ALL_AT_ONCE.auto }),
    ...sourceType(),
    ...retries(),
  }),
  [
    {
      field: 'image_model',
      with: ['workflows'],
      message: 'must be one of the keys of workflows',
      isBroken: ({ workflows, image_model }) => !Object.hasOwn(workflows, image_model),
    },
    ...BACKEND_RULES,
  ],
);
