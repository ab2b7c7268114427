import * as v from 'valibot';
import {
  AspectRatio,
  BACKGROUNDS,
  OUTPUT_FORMATS,
  parseSize,
  QUALITIES,
  RESOLUTIONS,
} from '../../../contract/request/parameters.ts';
import { CapabilityDocument } from '../../../contract/resources/provider.ts';
import { batchingMode, PLAIN_MODEL } from '../../backend/plain-model.ts';
import { INPUT_LIMITS, NO_IMAGES } from '../../backend/sent-images.ts';
import type { CataloguePage, ParsePage } from '../../catalogue/catalogue-page.ts';
import { toOffers } from './openrouter-offers.ts';

const MAX_VALUES = 256;
const Values = v.object({
  type: v.literal('enum'),
  values: v.pipe(v.array(v.unknown()), v.maxLength(MAX_VALUES)),
});
const Bound = v.pipe(v.number(), v.safeInteger());
const Range = v.object({ type: v.literal('range'), min: Bound, max: Bound });

/** One model in the reply of `/images/models`, or one endpoint of a model. Other members are ignored. */
export const OpenrouterDescriptor = v.object({
  supported_parameters: v.record(v.string(), v.unknown()),
  supports_streaming: v.fallback(v.boolean(), false),
});
export type OpenrouterDescriptor = v.InferOutput<typeof OpenrouterDescriptor>;

const List = v.object({ data: v.array(v.unknown()) });
const Id = v.pipe(v.string(), v.regex(/^[\w.:/-]{1,128}$/));
const Model = v.object({ id: Id, ...OpenrouterDescriptor.entries });

/** A model of the list. */
export type OpenrouterModel = v.InferOutput<typeof Model>;

/**
 * Parses the reply of `/images/models`. Malformed models are omitted. Returns undefined if the reply is not a list.
 */
export function parseOpenrouterModels(reply: unknown): readonly OpenrouterModel[] | undefined {
  const list = v.safeParse(List, reply);
  if (!list.success) return undefined;
  return list.output.data.flatMap((item) => {
    const model = v.safeParse(Model, item);
    return model.success ? [model.output] : [];
  });
}

const ENDPOINTS = '/endpoints';

/** Parses the whole list as one page of the catalogue, or the endpoints of one model. */
export const parseOpenrouterPage: ParsePage = (reply, { path, listed }) => {
  if (path.endsWith(ENDPOINTS)) return parseEndpoints(reply);
  const models = parseOpenrouterModels(reply);
  const names = models?.map(({ id }) => id).filter((id) => listed?.includes(id) ?? true);
  return (
    models && {
      items: models.map(({ id: name, ...facts }) => ({ name, facts })),
      more: [],
      pricing: names?.map((name) => `/images/models/${encodedPath(name)}${ENDPOINTS}`) ?? [],
    }
  );
};

function encodedPath(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/');
}

const Endpoints = v.object({ id: Id, endpoints: v.array(v.unknown()) });

function parseEndpoints(reply: unknown): CataloguePage | undefined {
  const parsed = v.safeParse(Endpoints, reply);
  if (!parsed.success) return undefined;
  const { id, endpoints } = parsed.output;
  return { items: [], more: [], offers: [[id, toOffers(endpoints)]] };
}

interface Limits {
  readonly provider: string;
  readonly model: string;
  /** The setting `native_count`. */
  readonly native_count: number;
  readonly max_outputs: number;
  readonly max_parallel_outputs: number | 'auto';
}

/** Returns false for a model that makes only files which the bridge cannot verify, such as SVG. */
export function makesImages({ supported_parameters: parameters }: OpenrouterDescriptor): boolean {
  const formats = textsOf(parameters['output_format']);
  return formats.length === 0 || named(OUTPUT_FORMATS, formats).length > 0;
}

/** Returns the texts that a parameter accepts. Returns none if the parameter is malformed or is not an enumeration. */
function textsOf(parameter: unknown): readonly string[] {
  const parsed = v.safeParse(Values, parameter);
  return (parsed.success ? parsed.output.values : []).filter((value) => typeof value === 'string');
}

/**
 * Returns the capabilities of a model from its descriptor (OpenRouter's guide to image generation, 2026-11). A parameter
 * without a descriptor, or with a malformed descriptor, is unsupported. Values without a name in the contract, such as the ratio
 * `9:19.5`, are omitted.
 */
export function openrouterCapabilities(
  { supported_parameters: parameters, supports_streaming: streams }: OpenrouterDescriptor,
  { provider, model, native_count, max_outputs, max_parallel_outputs: parallel }: Limits,
): CapabilityDocument {
  const valuesOf = (name: string) => textsOf(parameters[name]);
  const rangeOf = (name: string) => {
    const parsed = v.safeParse(Range, parameters[name]);
    return parsed.success ? parsed.output : undefined;
  };
  const references = rangeOf('input_references');
  const maxImages = Math.max(0, references?.max ?? 0);
  const images = maxImages > 0 ? { ...INPUT_LIMITS, max_count: maxImages } : NO_IMAGES;
  const perCall = Math.max(1, Math.min(native_count, max_outputs, rangeOf('n')?.max ?? 1));
  const ratios = valuesOf('aspect_ratio').filter((ratio) => v.is(AspectRatio, ratio));
  const resolutions = named(RESOLUTIONS, valuesOf('resolution'));
  const sizes = [...valuesOf('size'), ...valuesOf('resolution')].filter((size) => parseSize(size));
  const backgrounds = named(BACKGROUNDS, valuesOf('background'));
  const generation = (references?.min ?? 0) < 1;
  return v.parse(CapabilityDocument, {
    ...PLAIN_MODEL,
    provider,
    model,
    generation,
    edits: maxImages > 0,
    count: { min: 1, max: max_outputs },
    batching: {
      mode: batchingMode(max_outputs, perCall),
      native_count: { min: 1, max: perCall },
      max_parallel_outputs: parallel === 'auto' ? max_outputs : parallel,
    },
    sizes: { auto: true, allowed: sizes, arbitrary: false },
    ...(ratios.length > 0 ? { aspect_ratio: 'native', aspect_ratios: ratios } : {}),
    ...(resolutions.length > 0 ? { resolution: 'native', resolutions } : {}),
    transparent_background: backgrounds.includes('transparent') ? 'native' : 'emulated',
    qualities: withAuto(named(QUALITIES, valuesOf('quality'))),
    output_formats: formatsOf(valuesOf('output_format')),
    backgrounds: withAuto(backgrounds),
    actions: [
      'auto',
      ...(generation ? (['generate'] as const) : []),
      ...(maxImages > 0 ? (['edit'] as const) : []),
    ],
    reference_images: images,
    edit_images: images,
    partial_images: { min: 0, max: streams && perCall === 1 ? 3 : 0 },
    source_transport: 'multipart',
  } satisfies CapabilityDocument);
}

/** Returns the known names among these values, in the order of the contract. */
function named<const Name extends string>(
  names: readonly Name[],
  values: readonly string[],
): Name[] {
  const found = values.map((value) => value.toLowerCase());
  return names.filter((name) => found.includes(name));
}

function withAuto<const Name extends string>(names: readonly Name[]): ('auto' | Name)[] {
  return ['auto', ...names.filter((name) => name !== 'auto')];
}

/** Returns PNG for a model that chooses its format, because the bridge converts the image. */
function formatsOf(values: readonly string[]): (typeof OUTPUT_FORMATS)[number][] {
  const formats = named(OUTPUT_FORMATS, values);
  return formats.length > 0 ? formats : ['png'];
}
