import { parseSize } from '../../contract/request/parameters.ts';
import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import { equalRatio } from '../backend/edges.ts';
import { INPUT_LIMITS, NO_IMAGES, sentImages, toEditPrompt } from '../backend/sent-images.ts';
import { unsupported } from '../failed-calls.ts';
import type { CallOutline, ProviderRequest } from '../provider-port.ts';
import type { InputMapping } from './input-mapping.ts';
import type { ImageTexts, TaskCall, TaskModel } from './task-service.ts';

/** The mappings of the endpoints of a model. At least one is present. */
export interface MappedEndpoints {
  /** The inputs for calls without images. */
  readonly generate?: InputMapping;
  /** The inputs for calls with images, and the name of the endpoint if it is not the model. */
  readonly edit?: { readonly mapping: InputMapping; readonly name?: string };
}

/** Limit on the bytes of all images of a call together. */
interface Limits {
  readonly maxTotalBytes: number;
}

/** Sizes that represent the common ratios. For a model with free sizes, each of these sizes that is within the bounds is listed. */
const COMMON_SIZES = [
  '1024x1024',
  '1152x896',
  '896x1152',
  '1152x768',
  '768x1152',
  '1280x720',
  '720x1280',
  '1344x576',
  '512x512',
  '2048x2048',
  '2048x1152',
  '1152x2048',
  '4096x4096',
];

/** Returns the model that the mappings describe: its capabilities, and the inputs of its calls. */
export function toTaskModel(endpoints: MappedEndpoints, { maxTotalBytes }: Limits): TaskModel {
  const { generate, edit } = endpoints;
  const maxImages = edit?.mapping.images?.max ?? 0;
  const mappings = [generate, edit?.mapping].flatMap((mapping) => mapping ?? []);
  const maxImagesPerTask = Math.min(...mappings.map(({ count }) => count?.max ?? 1));
  const mappingOf = (call: CallOutline) => (sentImages(call).length > 0 ? edit?.mapping : generate);
  return {
    capabilities: {
      generation: generate !== undefined,
      ...imageMembers(edit?.mapping, maxTotalBytes),
      ...shapeMembers(generate ?? edit?.mapping),
      ...optionMembers(mappings),
      actions: edit ? ['auto', 'generate', 'edit'] : ['auto', 'generate'],
      source_transport: 'conversation_attachment',
    },
    maxImagesPerTask,
    ...(edit?.mapping.mask ? { maskForm: 'white' } : {}),
    inputLimits: { max_count: maxImages, max_bytes_total: maxTotalBytes },
    ...(mappings.every(({ formats }) => formats) ? {} : { hasAnyFormat: true }),
    ...(edit?.name === undefined ? {} : { editName: edit.name }),
    inputs(call, images) {
      const mapping = mappingOf(call.request);
      return mapping ? inputsOf(mapping, call, images) : {};
    },
    refuse(call) {
      const mapping = mappingOf(call);
      if (!mapping) throw unsupported('operation', 'the model does not support this operation');
      refuseUnmapped(mapping, call);
    },
  };
}

/** Returns the model for a name whose inputs are not known: a prompt, and nothing else. */
export function promptOnlyModel(limits: Limits): TaskModel {
  return toTaskModel({ generate: { fallbacks: {} } }, limits);
}

function imageMembers(mapping: InputMapping | undefined, maxTotalBytes: number) {
  const { images, mask } = mapping ?? {};
  if (!images) {
    return { edits: false, reference_images: NO_IMAGES, edit_images: NO_IMAGES, masks: NO_IMAGES };
  }
  const max_bytes_each = Math.min(INPUT_LIMITS.max_bytes_each, maxTotalBytes);
  const limits = { support: 'native', max_bytes_each, max_bytes_total: maxTotalBytes } as const;
  // A model with several images and without a mask reads the mask as one of its images.
  const readsMask = mask !== undefined || images.max > 1;
  return {
    edits: true,
    edit_images: { ...limits, max_count: images.max },
    // A single image is the source, so no reference can be sent with it.
    reference_images: images.max > 1 ? { ...limits, max_count: images.max } : NO_IMAGES,
    masks: readsMask ? { ...limits, support: 'emulated', max_count: 1 } : NO_IMAGES,
  } satisfies Partial<CapabilityDocument>;
}

/**
 * Returns the sizes and ratios of the endpoint that generates. If the endpoint that edits does not support the shape of an edit,
 * the edit is rejected when it is planned.
 */
function shapeMembers(mapping: InputMapping | undefined) {
  const { size, sizes, ratios, resolutions } = mapping ?? {};
  const bounds = size && {
    min_edge: size.min_edge,
    max_edge: size.max_edge,
    edge_multiple: size.edge_multiple,
  };
  const allowed = bounds ? COMMON_SIZES.filter((common) => isWithin(common, bounds)) : [];
  const listed = sizes && sizes.texts !== 'any' ? Object.keys(sizes.texts) : [];
  const hint = bounds || listed.length > 0 ? 'emulated' : 'unsupported';
  return {
    sizes: {
      auto: size?.isRequired !== true,
      allowed: [...new Set([...listed, ...allowed])],
      arbitrary: bounds !== undefined,
      ...bounds,
    },
    aspect_ratio: ratios ? 'native' : hint,
    ...(ratios && ratios.texts !== 'any' ? { aspect_ratios: Object.keys(ratios.texts) } : {}),
    resolution: resolutions ? 'native' : hint,
    ...(resolutions ? { resolutions: keysOf<'1k' | '2k' | '4k'>(resolutions) } : {}),
  } satisfies Partial<CapabilityDocument>;
}

interface Bounds {
  readonly min_edge: number;
  readonly max_edge: number;
  readonly edge_multiple: number;
}

function isWithin(size: string, { min_edge, max_edge, edge_multiple }: Bounds): boolean {
  const { width, height } = parseSize(size) ?? { width: 0, height: 0 };
  return [width, height].every(
    (edge) => edge >= min_edge && edge <= max_edge && edge % edge_multiple === 0,
  );
}

/** Returns the options that all endpoints of the model have. */
function optionMembers(mappings: readonly InputMapping[]) {
  const common = <Value extends string>(name: 'qualities' | 'backgrounds' | 'formats') => {
    const [first, ...others] = mappings.map((mapping) => keysOf<Value>(mapping[name]));
    return (first ?? []).filter((value) => others.every((values) => values.includes(value)));
  };
  type Member<Name extends keyof CapabilityDocument> = Extract<
    CapabilityDocument[Name],
    readonly unknown[]
  >[number];
  const backgrounds = common<Member<'backgrounds'>>('backgrounds');
  const formats = common<Member<'output_formats'>>('formats');
  const hasNegative = mappings.every(({ negativePrompt }) => negativePrompt !== undefined);
  return {
    qualities: ['auto', ...common<Member<'qualities'>>('qualities')],
    backgrounds: ['auto', ...backgrounds],
    transparent_background: backgrounds.includes('transparent') ? 'native' : 'emulated',
    output_formats: formats.length > 0 ? formats : ['png'],
    negative_prompt: hasNegative ? 'native' : 'emulated',
  } satisfies Partial<CapabilityDocument>;
}

/** Returns the bridge's values of a member. The mapping has only values of the bridge as keys. */
function keysOf<Value extends string>(values: InputMapping['qualities']): Value[] {
  return values && values.texts !== 'any' ? (Object.keys(values.texts) as Value[]) : [];
}

/** Throws `unsupported_capability` for a value that the endpoint of the call cannot receive. */
function refuseUnmapped(mapping: InputMapping, call: CallOutline): void {
  const { parameters, images, references, mask } = call;
  const needs = mapping.images?.min ?? 0;
  if (images.length + references.length < needs) {
    throw unsupported('images', `the model needs ${needs} images`, { min_count: needs });
  }
  if (mapping.mask?.isRequired && !mask) throw unsupported('mask', 'the model needs a mask');
  // An endpoint for edits that has no size makes images in the size of the source.
  const isSizeOfSource = mask !== undefined && !mapping.size && !mapping.sizes;
  const fields = ['size', 'aspect_ratio', 'resolution'] as const;
  const unmapped = fields.filter(
    (field) =>
      isChosen(parameters[field]) &&
      shapeInputs(mapping, { [field]: parameters[field] }) === undefined,
  );
  const [field] = unmapped.filter((name) => !(name === 'size' && isSizeOfSource));
  if (field !== undefined) throw unsupported(field, 'the model does not have this field for edits');
}

function isChosen(value: string | null): value is string {
  return value !== null && value !== 'auto';
}

type Inputs = Readonly<Record<string, unknown>>;

/** Returns the inputs of one call. A member that the request leaves to the model is omitted unless it is required. */
function inputsOf(mapping: InputMapping, { request, seed }: TaskCall, texts: ImageTexts): Inputs {
  const { parameters, indices, negativePrompt } = request;
  const { count, seeds, compression } = mapping;
  const { output_compression } = parameters;
  return {
    prompt: toEditPrompt(request),
    ...mapping.fallbacks,
    ...(negativePrompt !== undefined && mapping.negativePrompt !== undefined
      ? { [mapping.negativePrompt]: negativePrompt }
      : {}),
    // The number is always sent, because some models make several images by default.
    ...(count ? { [count.name]: indices.length } : {}),
    ...(seeds === undefined ? {} : { seed: seed % seeds }),
    ...shapeInputs(mapping, parameters),
    ...listed(mapping.qualities, parameters.quality),
    ...listed(mapping.backgrounds, parameters.background),
    ...listed(mapping.formats, parameters.output_format),
    ...(compression !== undefined && output_compression !== null
      ? { [compression]: output_compression }
      : {}),
    ...imageInputs(mapping, request, texts),
  };
}

interface Shape {
  readonly size?: string;
  readonly aspect_ratio?: string | null;
  readonly resolution?: string | null;
}

/** Returns the inputs for a shape, or undefined if the mapping has no member for a value of the shape. */
function shapeInputs(mapping: InputMapping, shape: Shape): Inputs | undefined {
  const { size = 'auto', aspect_ratio: ratio = null, resolution = null } = shape;
  const parts = [
    isChosen(size) ? (listed(mapping.sizes, size) ?? sizeInputs(mapping.size, size)) : {},
    isChosen(ratio ?? 'auto') ? ratioInputs(mapping.ratios, ratio ?? '') : {},
    isChosen(resolution ?? 'auto') ? listed(mapping.resolutions, resolution ?? '') : {},
  ];
  return parts.includes(undefined) ? undefined : Object.assign({}, ...parts);
}

function sizeInputs(target: InputMapping['size'], size: string): Inputs | undefined {
  const edges = parseSize(size);
  if (!target || !edges) return undefined;
  const { form, name, separator, custom } = target;
  const { width, height } = edges;
  switch (form) {
    case 'object':
      return { [name]: { width, height } };
    case 'edges':
      return { width, height, ...(custom === undefined ? {} : { [custom]: 'custom' }) };
    case 'text':
      return { [name]: `${width}${separator}${height}` };
  }
}

function ratioInputs(target: InputMapping['ratios'], ratio: string): Inputs | undefined {
  if (!target) return undefined;
  if (target.texts === 'any') return { [target.name]: ratio };
  const equal = equalRatio(ratio, Object.keys(target.texts));
  return equal === undefined ? undefined : listed(target, equal);
}

/** Returns the member with the service's text for a value, or undefined if the member does not accept the value. */
function listed(target: InputMapping['sizes'], value: string): Inputs | undefined {
  if (!target || target.texts === 'any' || !Object.hasOwn(target.texts, value)) return undefined;
  return { [target.name]: target.texts[value] };
}

function imageInputs(
  { images: target, mask: maskTarget }: InputMapping,
  request: ProviderRequest,
  texts: ImageTexts,
): Inputs {
  const urls = sentImages(request).map((input) => texts.url(input));
  if (!target || urls.length === 0) return {};
  const { mask } = request;
  const { members, list } = target;
  const single = Object.fromEntries(
    members.slice(0, urls.length).map((name, at) => [name, urls[at]]),
  );
  const others = urls.slice(members.length);
  return {
    ...single,
    ...(list !== undefined && others.length > 0 ? { [list]: others } : {}),
    ...(maskTarget && mask ? { [maskTarget.name]: texts.url(mask) } : {}),
  };
}
