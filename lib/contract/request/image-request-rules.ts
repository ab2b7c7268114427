import type * as v from 'valibot';
import { MAX_PROMPT_BYTES } from '../schema/fields.ts';
import { coded, pathItem } from '../schema/issues.ts';
import { limitsOf, type RequestLimits } from '../schema/request-limits.ts';
import { utf8Bytes } from '../schema/text.ts';
import type { ImageInput } from './image-input.ts';
import { formatOfExtension, type Output } from './output.ts';
import type { RequestParameters } from './parameters.ts';
import type { Policies, Routing, Session } from './routing.ts';

/** A request whose fields are valid individually. A template may have no prompt, and has no images. */
interface Candidate {
  readonly operation: 'generate' | 'edit';
  readonly prompt?: string;
  readonly negative_prompt: string | null;
  readonly images?: readonly ImageInput[];
  readonly mask?: ImageInput | null;
  readonly reference_images?: readonly ImageInput[];
  readonly parameters: v.InferOutput<typeof RequestParameters>;
  readonly output: Output;
  readonly routing: Routing;
  readonly session: Session;
  readonly policies: Policies;
}

/** The maximum number of pixels of a canvas that has a mask. */
const MAX_MASK_PIXELS = 4096 * 4096;

const count = (inputs: readonly unknown[] | undefined): number => inputs?.length ?? 0;
const isEdit = (request: Candidate): boolean => request.operation === 'edit';
const isStoredDelivery = ({ output }: Candidate): boolean =>
  output.response_format === 'artifact' || output.response_format === 'url';

/** Returns the path of the first canvas that is not in `images[0]`, or undefined if there is none. */
function otherCanvas({ images, mask, reference_images }: Candidate): string | undefined {
  const image = (images ?? []).findIndex(({ canvas }, index) => index > 0 && canvas !== undefined);
  if (image > 0) return `images.${image}.canvas`;
  if (mask?.canvas !== undefined) return 'mask.canvas';
  const reference = (reference_images ?? []).findIndex(({ canvas }) => canvas !== undefined);
  return reference < 0 ? undefined : `reference_images.${reference}.canvas`;
}

/** The rules about images, which are not applied to templates. */
const IMAGE_RULES: readonly CrossRule<Candidate>[] = [
  {
    field: 'images',
    needs: ['operation', 'images'],
    message: 'must contain at least one image for an edit',
    broken: (r) => isEdit(r) && count(r.images) === 0,
  },
  {
    field: 'images',
    needs: ['operation', 'images'],
    message: 'must be empty for a generation',
    broken: (r) => !isEdit(r) && count(r.images) > 0,
  },
  {
    field: 'mask',
    needs: ['operation', 'mask'],
    message: 'is only allowed for an edit',
    broken: (r) => !isEdit(r) && Boolean(r.mask),
  },
  {
    field: (r) => otherCanvas(r) ?? 'images',
    needs: ['images', 'mask', 'reference_images'],
    message: 'is only allowed in images[0]',
    broken: (r) => otherCanvas(r) !== undefined,
  },
  {
    field: 'images',
    needs: ['images', 'mask'],
    message: `must have a canvas of at most ${MAX_MASK_PIXELS} pixels (4096 × 4096) together with a mask`,
    broken: ({ images: [image] = [], mask }) =>
      Boolean(mask) &&
      (image?.canvas ? image.canvas.width * image.canvas.height : 0) > MAX_MASK_PIXELS,
  },
  {
    field: 'images',
    needs: ['images', 'mask', 'reference_images'],
    message: 'exceed runtime.request.max_inputs together with mask and reference_images',
    broken: (r, limits) =>
      limits !== undefined &&
      count(r.images) + count(r.reference_images) + (r.mask ? 1 : 0) > limits.maxInputs,
  },
  {
    field: 'parameters.action',
    needs: ['operation', 'parameters.action', 'reference_images'],
    message: 'must not be edit for a generation without reference images',
    broken: (r) => !isEdit(r) && r.parameters.action === 'edit' && count(r.reference_images) === 0,
  },
  {
    field: 'parameters.input_fidelity',
    needs: ['parameters.input_fidelity', 'images', 'reference_images'],
    message: 'requires at least one image',
    broken: (r) =>
      r.parameters.input_fidelity !== null && count(r.images) + count(r.reference_images) === 0,
  },
];

const PARAMETER_RULES: readonly CrossRule<Candidate>[] = [
  {
    field: 'prompt',
    needs: ['prompt', 'negative_prompt'],
    message: `and negative_prompt together must be at most ${MAX_PROMPT_BYTES} bytes long`,
    broken: (r) =>
      utf8Bytes(r.prompt ?? '') + utf8Bytes(r.negative_prompt ?? '') > MAX_PROMPT_BYTES,
  },
  {
    field: 'parameters.action',
    needs: ['operation', 'parameters.action'],
    message: 'must not be generate for an edit',
    broken: (r) => isEdit(r) && r.parameters.action === 'generate',
  },
  {
    field: 'parameters.aspect_ratio',
    needs: ['parameters.size', 'parameters.aspect_ratio'],
    message: 'must not be combined with a size',
    broken: (r) => r.parameters.size !== 'auto' && r.parameters.aspect_ratio !== null,
  },
  {
    field: 'parameters.resolution',
    needs: ['parameters.size', 'parameters.resolution'],
    message: 'must not be combined with a size',
    broken: (r) => r.parameters.size !== 'auto' && r.parameters.resolution !== null,
  },
  {
    field: 'parameters.output_compression',
    needs: ['parameters.output_format', 'parameters.output_compression'],
    message: 'is only allowed for jpeg and webp',
    broken: (r) =>
      r.parameters.output_compression !== null && (r.parameters.output_format ?? 'png') === 'png',
  },
];

const OUTPUT_RULES: readonly CrossRule<Candidate>[] = [
  ...(['directory', 'filename', 'filename_prefix'] as const).map(
    (name): CrossRule<Candidate> => ({
      field: `output.${name}`,
      needs: [`output.${name}`, 'output.response_format'],
      message: 'requires the response_format artifact or url',
      broken: (r) => r.output[name] !== undefined && !isStoredDelivery(r),
    }),
  ),
  {
    field: 'output.filename_prefix',
    needs: ['output.filename', 'output.filename_prefix'],
    message: 'must not be combined with filename',
    broken: (r) => r.output.filename !== undefined && r.output.filename_prefix !== undefined,
  },
  {
    field: 'output.filename',
    needs: ['output.filename', 'parameters.n'],
    message: 'requires parameters.n = 1',
    broken: (r) => r.output.filename !== undefined && r.parameters.n !== 1,
  },
  {
    field: 'output.filename',
    needs: ['output.filename', 'parameters.output_format'],
    message: 'must have the extension of parameters.output_format, or none',
    broken: (r) => {
      const format = formatOfExtension(r.output.filename ?? '');
      return format !== undefined && format !== (r.parameters.output_format ?? 'png');
    },
  },
  {
    field: 'output.collision',
    needs: ['output.collision', 'output.filename'],
    message: 'suffix requires a filename',
    broken: (r) => r.output.collision === 'suffix' && r.output.filename === undefined,
  },
  {
    field: 'output.metadata',
    needs: ['output.metadata', 'output.response_format'],
    message: 'a sidecar requires the response_format artifact',
    broken: (r) =>
      r.output.metadata.startsWith('sidecar') && r.output.response_format !== 'artifact',
  },
  {
    field: 'output.metadata',
    needs: ['output.metadata', 'output.response_format'],
    message: 'embedded metadata requires a response_format other than metadata',
    broken: (r) => r.output.metadata === 'embedded' && r.output.response_format === 'metadata',
  },
  {
    field: 'output.transparency.transparent_threshold',
    needs: ['output.transparency'],
    message: 'must be below opaque_threshold',
    broken: ({ output: { transparency: t } }) => t.transparent_threshold >= t.opaque_threshold,
  },
];

const ROUTING_RULES: readonly CrossRule<Candidate>[] = [
  {
    field: 'routing.fallbacks',
    needs: ['routing'],
    message: 'must be unique and different from the primary route',
    broken: ({ routing }) => {
      const routes = routing.fallbacks.map((f) => `${f.provider}\n${f.model ?? ''}`);
      const primary = `${routing.provider ?? ''}\n${routing.model ?? ''}`;
      return new Set(routes).size < routes.length || routes.includes(primary);
    },
  },
  {
    field: 'routing.fallbacks',
    needs: ['routing.fallbacks', 'session.mode'],
    message: 'require an isolated session',
    broken: (r) => r.routing.fallbacks.length > 0 && r.session.mode !== 'isolated',
  },
  {
    field: 'session.key',
    needs: ['session.mode', 'session.key'],
    message: 'is required for a persistent session and not allowed for other sessions',
    broken: ({ session }) => (session.mode === 'persistent') !== (session.key !== undefined),
  },
  {
    field: 'session.thread_id',
    needs: ['session.mode', 'session.thread_id'],
    message: 'is required for a thread session and not allowed for other sessions',
    broken: ({ session }) => (session.mode === 'thread') !== (session.thread_id !== undefined),
  },
  {
    field: 'policies.batch_execution',
    needs: ['policies.batch_execution', 'session.mode'],
    message: 'parallel requires an isolated session',
    broken: (r) => r.policies.batch_execution === 'parallel' && r.session.mode !== 'isolated',
  },
];

const TEMPLATE_RULES = [...PARAMETER_RULES, ...OUTPUT_RULES, ...ROUTING_RULES];

export const requestRules = checkAll([...IMAGE_RULES, ...TEMPLATE_RULES]);

/** Checks a preset template, which becomes a valid request when the prompt and the images are added. */
export const templateRules = checkAll(TEMPLATE_RULES);

interface CrossRule<T> {
  /** The path of the field for which a violation is reported, or a function that finds the path. */
  readonly field: string | ((value: T) => string);
  /** The paths of the fields that the rule reads. The rule is checked only if all these fields are valid. */
  readonly needs: readonly string[];
  readonly message: string;
  readonly broken: (value: T, limits: RequestLimits | undefined) => boolean;
}

/** The used members of the argument that `v.rawCheck` passes to its action. */
interface Check {
  readonly dataset: v.OutputDataset<unknown, v.BaseIssue<unknown>>;
  readonly config: object;
  readonly addIssue: (info: {
    readonly path: [v.ObjectPathItem, ...v.ObjectPathItem[]];
    readonly message: string;
  }) => void;
}

/** Creates an action that checks all rules whose fields are valid. valibot would skip a plain `check` if any field is invalid. */
function checkAll<T>(rules: readonly CrossRule<T>[]) {
  // The paths are split once, because each path may be compared with a thousand failed fields.
  const table = rules.map((rule) => ({ rule, needs: rule.needs.map((need) => need.split('.')) }));
  return ({ dataset, config, addIssue }: Check): void => {
    const failed = (dataset.issues ?? []).map((issue) => (issue.path ?? []).map(({ key }) => key));
    // If the value is not an object, there are no fields to check.
    if (failed.some((path) => path.length === 0)) return;
    for (const { rule, needs } of table) {
      const isReadable =
        failed.length === 0 || !needs.some((need) => failed.some((path) => overlaps(path, need)));
      if (!isReadable) continue;
      // The cast is safe because every field that the rule reads has passed its schema.
      const value = dataset.value as T;
      if (!rule.broken(value, limitsOf(config))) continue;
      const field = typeof rule.field === 'string' ? rule.field : rule.field(value);
      addIssue({ path: toPath(field), message: coded('invalid_combination', rule.message) });
    }
  };
}

function overlaps(path: readonly unknown[], need: readonly string[]): boolean {
  return path.every((key, index) => index >= need.length || key === need[index]);
}

function toPath(field: string): [v.ObjectPathItem, ...v.ObjectPathItem[]] {
  // The cast is safe because a field name has at least one part.
  return field.split('.').map((part) => pathItem(/^\d+$/.test(part) ? Number(part) : part)) as [
    v.ObjectPathItem,
    ...v.ObjectPathItem[],
  ];
}
