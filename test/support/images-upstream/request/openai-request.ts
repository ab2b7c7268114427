import * as v from 'valibot';
import { Refusal } from '../../upstream/refusal.ts';
import type { Fields } from './fields.ts';
import type { ImageCall } from './image-call.ts';
import { readEditFiles } from './openai-files.ts';
import { automaticSize, isSizeOf, type ModelFamily } from './openai-models.ts';

const COMMON = {
  prompt: v.pipe(v.string(), v.minLength(1), v.maxLength(32_000)),
  model: v.nullish(v.string()),
  n: v.nullish(integer(1, 10)),
  size: v.nullish(v.string()),
  quality: v.nullish(v.string()),
  background: v.nullish(v.picklist(['auto', 'opaque', 'transparent'])),
  moderation: v.nullish(v.picklist(['auto', 'low'])),
  output_format: v.nullish(v.picklist(['png', 'jpeg', 'webp'])),
  output_compression: v.nullish(integer(0, 100)),
  partial_images: v.nullish(integer(0, 3)),
  stream: v.nullish(v.boolean()),
  user: v.nullish(v.string()),
  safety_identifier: v.nullish(v.string()),
  complexity: v.nullish(v.picklist(['low', 'medium', 'high'])),
};

/** The published parameters of the image models. `response_format` and `style` belong to models that are switched off. */
const Generate = v.strictObject(COMMON);
const Edit = v.strictObject({ ...COMMON, input_fidelity: v.nullish(v.string()) });
type Edit = v.InferOutput<typeof Edit>;

interface Rules {
  /** The families, by the name under which a request may select them. */
  readonly models: Readonly<Record<string, ModelFamily>>;
  /** The model for a request without a model. */
  readonly defaultModel: string;
}

/** Checks a request as the API does (images reference, 2026-11). Throws `Refusal` if it is invalid. */
export async function checkOpenAiRequest(
  operation: ImageCall['operation'],
  fields: Fields,
  { models, defaultModel }: Rules,
): Promise<ImageCall> {
  const sent = parsed(operation === 'edit' ? Edit : Generate, fields);
  const model = sent.model ?? defaultModel;
  const family = Object.hasOwn(models, model) ? models[model] : undefined;
  if (!family) {
    throw new Refusal({ status: 404, code: 'model_not_found', message: 'no such model' });
  }
  checkFamily(sent, family);
  const files = operation === 'edit' ? await readEditFiles(fields.files) : { images: [] };
  const size = sent.size ?? 'auto';
  const drawn = size === 'auto' ? automaticSize(files.images[0]) : size;
  const [width = 0, height = 0] = drawn.split('x').map(Number);
  const quality = sent.quality ?? 'auto';
  return {
    ...files,
    operation,
    model,
    prompt: sent.prompt,
    n: sent.n ?? 1,
    width,
    height,
    format: sent.output_format ?? 'png',
    compression: sent.output_compression ?? undefined,
    background: sent.background === 'transparent' ? 'transparent' : 'opaque',
    quality: quality === 'auto' ? 'high' : quality,
    isStream: sent.stream ?? false,
    partialImages: sent.partial_images ?? 0,
    responseFormat: 'b64_json',
    fields: fields.values,
  };
}

function parsed(schema: typeof Generate | typeof Edit, { values }: Fields): Edit {
  const result = v.safeParse(schema, values);
  if (result.success) return result.output;
  const [issue] = result.issues;
  const param = v.getDotPath(issue) ?? undefined;
  const isUnknown = issue.type === 'strict_object' && issue.expected === 'never';
  const isMissing = param !== undefined && !(param in values);
  const code = isUnknown ? 'unknown_parameter' : 'invalid_value';
  throw new Refusal({
    status: 400,
    code: isMissing ? 'missing_required_parameter' : code,
    message: 'a parameter is wrong',
    param,
  });
}

function checkFamily(sent: Edit, family: ModelFamily): void {
  const { size, quality, background, output_format: format, output_compression } = sent;
  if (size && !isSizeOf(family, size)) throw invalid('size');
  if (quality && quality !== 'auto' && !family.qualities.includes(quality)) {
    throw invalid('quality');
  }
  if (background === 'transparent' && (!family.hasTransparency || format === 'jpeg')) {
    throw invalid('background');
  }
  const isCompressible = format === 'jpeg' || format === 'webp';
  if (typeof output_compression === 'number' && output_compression < 100 && !isCompressible) {
    throw invalid('output_compression');
  }
  if (sent.partial_images && !sent.stream) throw invalid('partial_images');
  if (sent.input_fidelity && !family.fidelities.includes(sent.input_fidelity)) {
    throw invalid('input_fidelity', 'invalid_input_fidelity_model');
  }
  if (sent.complexity && !family.hasComplexity) throw invalid('complexity');
}

function invalid(param: string, code = 'invalid_value'): Refusal {
  return new Refusal({ status: 400, code, message: 'the model does not take this value', param });
}

function integer(minimum: number, maximum: number) {
  return v.pipe(v.number(), v.integer(), v.minValue(minimum), v.maxValue(maximum));
}
