import * as v from 'valibot';
import {
  CHOSEN_BACKGROUNDS,
  CHOSEN_QUALITIES,
  OUTPUT_FORMATS,
  type OutputFormat,
  parseAspectRatio,
  parseSize,
  RESOLUTIONS,
} from '../../contract/request/parameters.ts';
import type { InputMember, InputMembers } from './input-members.ts';

const Name = v.string();
const Texts = v.record(v.string(), v.string());
/** The accepted values: the service's text by our value. `any` if the schema lists no values. */
const Values = v.strictObject({ name: Name, texts: v.union([v.literal('any'), Texts]) });
const Edge = v.number();

/**
 * The members of a model's input that carry the parameters of the bridge. A parameter without a member is not offered.
 * The mapping is plain data, because the catalogue stores it.
 */
export const InputMapping = v.strictObject({
  negativePrompt: v.optional(Name),
  count: v.optional(v.strictObject({ name: Name, max: v.number() })),
  /** Number of seeds that the model accepts, from 0. */
  seeds: v.optional(v.number()),
  /** Any size within bounds. */
  size: v.optional(
    v.strictObject({
      form: v.picklist(['object', 'edges', 'text']),
      /** The member, and the member of the width if `form` is `edges`. */
      name: Name,
      separator: v.picklist(['x', '*']),
      min_edge: Edge,
      max_edge: Edge,
      edge_multiple: Edge,
      /** The member that must be `custom`, so that the model reads the size. */
      custom: v.optional(Name),
      /** True if every call needs a size. */
      isRequired: v.boolean(),
    }),
  ),
  /** The listed sizes. */
  sizes: v.optional(Values),
  ratios: v.optional(Values),
  resolutions: v.optional(Values),
  qualities: v.optional(Values),
  backgrounds: v.optional(Values),
  formats: v.optional(Values),
  compression: v.optional(Name),
  images: v.optional(
    v.strictObject({
      /** The members for one image each, which receive the first images. */
      members: v.array(Name),
      /** The member for a list of all other images. */
      list: v.optional(Name),
      min: v.number(),
      max: v.number(),
    }),
  ),
  mask: v.optional(v.strictObject({ name: Name, isRequired: v.boolean() })),
  /** Values of required members for calls that leave the parameter to the model. */
  fallbacks: Texts,
});
export type InputMapping = v.InferOutput<typeof InputMapping>;

/** A mapping, and the required members that it cannot fill. A call needs constants for these members. */
export interface MappedInputs {
  readonly mapping: InputMapping;
  readonly unfilled: readonly string[];
}

const NEGATIVES = ['negative_prompt'];
const COUNTS = ['num_images', 'num_outputs', 'number_of_images', 'n'];
const SIZES = ['image_size', 'size'];
const RATIOS = ['aspect_ratio', ...SIZES];
const RESOLUTION_NAMES = ['resolution', 'image_resolution', ...SIZES];
const FORMATS = ['output_format', 'image_format', 'format'];
const LISTS = [
  'image_urls',
  'input_images',
  'image_input',
  'images',
  'reference_images',
  'input_image_urls',
  'reference_image_urls',
];
const NUMBERED = /^input_image(_\d{1,2})?$/;
const SINGLES = ['image_url', 'image', 'image_prompt'];
const MASKS = ['mask_url', 'mask_image_url', 'mask'];

/** Bounds of a size if the schema states none. A wider bound is the limit of a shared type and not of the model. */
const BOUNDS = { min: 256, max: 2048, multiple: 16, greatestMax: 8192 } as const;
/** Maximum number of images if the schema states none. */
const LIST_LENGTH = 4;
const MAX_COUNT = 16;
const SEEDS = 2 ** 31;

/**
 * Returns the mapping of a model that makes images from prompts, or undefined if the model has no prompt or makes only markup. A
 * member with a constant is not mapped, because the operator has decided its value.
 */
export function mapInputs(
  schema: InputMembers,
  constants: Readonly<Record<string, unknown>> = {},
): MappedInputs | undefined {
  const members = new Map([...schema].filter(([name]) => !Object.hasOwn(constants, name)));
  if (!isText(members.get('prompt')) || makesOnlyMarkup(members)) return undefined;
  const mapping = { ...shapeOf(members), ...optionsOf(members), ...imagesOf(members) };
  const fallbacks = fallbacksOf(members, mapping);
  const filled = new Set(['prompt', ...namesOf(mapping), ...Object.keys(fallbacks)]);
  const unfilled = [...members].flatMap(([name, { isRequired }]) =>
    isRequired && !filled.has(name) ? [name] : [],
  );
  return { mapping: { ...mapping, fallbacks }, unfilled };
}

type Parts = Omit<InputMapping, 'fallbacks'>;

/** Maps the size, the aspect ratio and the resolution. */
function shapeOf(members: InputMembers): Parts {
  const size = freeSizeOf(members);
  const ratios = valuesOf(members, RATIOS, toRatio);
  const resolutions = valuesOf(members, RESOLUTION_NAMES, toResolution);
  const sizes = valuesOf(members, SIZES, toSize);
  return {
    ...(size ? { size } : {}),
    ...(sizes ? { sizes } : {}),
    // Presets of a member with free sizes are not mapped, because they would only be names of some sizes.
    ...(ratios && !(size?.name === ratios.name) ? { ratios } : {}),
    ...(resolutions ? { resolutions } : {}),
  };
}

function freeSizeOf(members: InputMembers): InputMapping['size'] {
  const objectName = SIZES.find((name) => members.get(name)?.members?.has('width'));
  if (objectName !== undefined) {
    const object = members.get(objectName);
    const bounds = boundsOf(object?.members?.get('width'));
    const isRequired = object?.isRequired === true && object.texts.length === 0;
    return { form: 'object', name: objectName, separator: 'x', ...bounds, isRequired };
  }
  const width = members.get('width');
  if (width?.isNumber && members.get('height')?.isNumber) {
    const custom = RATIOS.find((name) => listedTexts(members.get(name)).includes('custom'));
    return {
      form: 'edges',
      name: 'width',
      separator: 'x',
      ...boundsOf(width),
      ...(custom === undefined ? {} : { custom }),
      isRequired: width.isRequired,
    };
  }
  const text = members.get('size');
  if (text?.texts !== 'any') return undefined;
  const separator = String(text.default).includes('*') ? '*' : 'x';
  return {
    form: 'text',
    name: 'size',
    separator,
    ...boundsOf(undefined),
    isRequired: text.isRequired,
  };
}

function boundsOf(edge: InputMember | undefined) {
  const { minimum = 0, maximum = Infinity, multipleOf = BOUNDS.multiple } = edge ?? {};
  const isStated = maximum >= BOUNDS.min && maximum <= BOUNDS.greatestMax;
  const step = Number.isSafeInteger(multipleOf) && multipleOf > 0 ? multipleOf : BOUNDS.multiple;
  const max = isStated ? maximum : BOUNDS.max;
  // A minimum of a few pixels is the limit of a shared type too.
  const min = minimum >= 64 && minimum <= max ? minimum : Math.min(BOUNDS.min, max);
  return {
    min_edge: Math.ceil(min / step) * step,
    max_edge: Math.floor(max / step) * step,
    edge_multiple: step,
  };
}

/** Maps the options that do not concern shapes or input images. */
function optionsOf(members: InputMembers): Parts {
  const negativePrompt = NEGATIVES.find((name) => isText(members.get(name)));
  const countName = COUNTS.find((name) => members.get(name)?.isNumber);
  const seed = members.get('seed');
  const formats = valuesOf(members, FORMATS, toFormat);
  const qualities = valuesOf(members, ['quality'], toQuality);
  const backgrounds = valuesOf(members, ['background'], toBackground);
  return {
    ...(negativePrompt === undefined ? {} : { negativePrompt }),
    ...(countName === undefined
      ? {}
      : { count: { name: countName, max: countOf(members.get(countName)) } }),
    ...(seed?.isNumber ? { seeds: Math.min(SEEDS, (seed.maximum ?? SEEDS) + 1) } : {}),
    ...(formats ? { formats } : {}),
    ...(members.get('output_quality')?.isNumber ? { compression: 'output_quality' } : {}),
    ...(qualities ? { qualities } : {}),
    ...(backgrounds ? { backgrounds } : {}),
  };
}

/** Returns the maximum number of images of a call. Without a maximum, a call has one image. */
function countOf(member: InputMember | undefined): number {
  return Math.min(MAX_COUNT, Math.max(1, Math.floor(member?.maximum ?? 1)));
}

/** Maps input images and the mask. An optional member for one image is not mapped if the model also has a list. */
function imagesOf(members: InputMembers): Parts {
  const isRequired = (name: string) => members.get(name)?.isRequired === true;
  const first = (names: readonly string[]) => names.find(isRequired) ?? names[0];
  const listName = first(LISTS.filter((name) => members.get(name)?.list));
  const numbered = [...members.keys()].filter(
    (name) => NUMBERED.test(name) && isText(members.get(name)),
  );
  const single = first(SINGLES.filter((name) => isText(members.get(name))));
  const named = numbered.length > 0 ? numbered : single === undefined ? [] : [single];
  const taken = named.filter((name) => listName === undefined || isRequired(name));
  const list = listName === undefined ? undefined : members.get(listName)?.list;
  if (taken.length === 0 && !list) return {};
  const minListed =
    listName !== undefined && isRequired(listName) ? Math.max(1, list?.minItems ?? 1) : 0;
  const min = taken.filter(isRequired).length + minListed;
  const max = taken.length + (list ? (list.maxItems ?? LIST_LENGTH) : 0);
  const mask = MASKS.find((name) => isText(members.get(name)));
  return {
    images: {
      members: taken,
      ...(listName === undefined ? {} : { list: listName }),
      min,
      max: Math.max(min, Math.min(MAX_COUNT, max)),
    },
    ...(mask === undefined ? {} : { mask: { name: mask, isRequired: isRequired(mask) } }),
  };
}

type Convert = (text: string) => string | undefined;

/**
 * Returns the first member that accepts at least one value of the bridge, with the text of each value. Only an aspect ratio may be
 * a free text, because its form is the same for all services. Returns undefined if there is none.
 */
function valuesOf(
  members: InputMembers,
  names: readonly string[],
  convert: Convert,
): v.InferOutput<typeof Values> | undefined {
  for (const name of names) {
    const member = members.get(name);
    if (member?.texts === 'any' && name === 'aspect_ratio') return { name, texts: 'any' };
    const texts: Record<string, string> = {};
    for (const text of listedTexts(member)) {
      const value = convert(text);
      // The first text counts: `square_hd` precedes `square`.
      if (value !== undefined) texts[value] ??= text;
    }
    if (Object.keys(texts).length > 0) return { name, texts };
  }
  return undefined;
}

/**
 * Returns the ratio that a text such as `16:9`, `portrait_4_3` (which is 3:4) or `square` names, or undefined for any other text.
 */
function toRatio(text: string): string | undefined {
  if (parseAspectRatio(text)) return text;
  if (/^square(_hd)?$/.test(text)) return '1:1';
  const preset = /^(portrait|landscape)_(\d{1,2})_(\d{1,2})$/.exec(text);
  if (!preset) return undefined;
  const [shorter, longer] = [Number(preset[2]), Number(preset[3])].sort((a, b) => a - b);
  return preset[1] === 'portrait' ? `${shorter}:${longer}` : `${longer}:${shorter}`;
}

function toResolution(text: string): string | undefined {
  return RESOLUTIONS.find((resolution) => resolution === text.toLowerCase());
}

function toSize(text: string): string | undefined {
  const size = text.replace('*', 'x');
  return parseSize(size) ? size : undefined;
}

function makesOnlyMarkup(members: InputMembers): boolean {
  return FORMATS.some((name) => {
    const formats = listedTexts(members.get(name)).map((text) => text.toLowerCase());
    return formats.includes('svg') && !formats.some(toFormat);
  });
}

/** Returns undefined for markup (svg) and for formats that the bridge cannot verify (avif). Such formats are not offered. */
function toFormat(text: string): OutputFormat | undefined {
  const format = text.toLowerCase().replace(/^jpg$/, 'jpeg');
  return OUTPUT_FORMATS.find((one) => one === format);
}

const toQuality: Convert = (text) => CHOSEN_QUALITIES.find((quality) => quality === text);
const toBackground: Convert = (text) =>
  CHOSEN_BACKGROUNDS.find((background) => background === text);

/** Returns the members that a mapping fills in every call that needs them. */
function namesOf({ count, seeds, size, images, mask, formats }: Parts): readonly string[] {
  return [
    ...(count ? [count.name] : []),
    ...(seeds === undefined ? [] : ['seed']),
    ...(size ? [size.name] : []),
    ...(size?.form === 'edges' ? ['height'] : []),
    ...(images?.members ?? []),
    ...(images?.list === undefined ? [] : [images.list]),
    ...(mask ? [mask.name] : []),
    ...(formats ? [formats.name] : []),
  ];
}

/** Returns a value for each required member that a call may leave out. */
function fallbacksOf(members: InputMembers, mapping: Parts): InputMapping['fallbacks'] {
  const { sizes, ratios, resolutions, qualities, backgrounds, negativePrompt } = mapping;
  const chosen = [sizes, ratios, resolutions, qualities, backgrounds].flatMap(
    (values) => values ?? [],
  );
  const required = chosen.flatMap(({ name, texts }) => {
    const member = members.get(name);
    if (!member?.isRequired) return [];
    const listed = listedTexts(member);
    const auto = listed.find((text) => text === 'auto') ?? member.default;
    const first = texts === 'any' ? undefined : (texts['1:1'] ?? texts['1024x1024'] ?? listed[0]);
    const text = auto === undefined ? first : String(auto);
    return text === undefined ? [] : [[name, text] as const];
  });
  const negative =
    negativePrompt !== undefined && members.get(negativePrompt)?.isRequired
      ? [[negativePrompt, ''] as const]
      : [];
  return Object.fromEntries([...required, ...negative]);
}

function listedTexts(member: InputMember | undefined): readonly string[] {
  return member === undefined || member.texts === 'any' ? [] : member.texts;
}

function isText(member: InputMember | undefined): boolean {
  return member?.texts === 'any';
}
