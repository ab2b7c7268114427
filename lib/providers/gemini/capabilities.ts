import * as v from 'valibot';
import type { Config } from '../../config/settings/settings.ts';
import type { Parameters } from '../../contract/request/parameters.ts';
import { CapabilityDocument } from '../../contract/resources/provider.ts';
import { equalRatio } from '../backend/edges.ts';
import { familyNames, oneOutputPerCall, PLAIN_MODEL } from '../backend/plain-model.ts';
import { INPUT_LIMITS } from '../backend/sent-images.ts';

/** Limits on sources and references together. A whole request may have 100 MB, including the base64 of its images. */
export const GEMINI_INPUTS = { ...INPUT_LIMITS, max_count: 14 };

type Settings = Config['providers']['gemini'][string];

/**
 * Returns the capabilities of `model`, limited by the settings and overridden by the model's profile in the settings.
 */
export function capabilitiesOf(
  provider: string,
  model: string,
  settings: Settings,
): CapabilityDocument {
  const profile = settings.model_profiles[model];
  const family = familyOf(...familyNames(model, settings));
  return v.parse(CapabilityDocument, {
    ...PLAIN_MODEL,
    ...oneOutputPerCall(settings),
    provider,
    model,
    edits: true,
    sizes: { auto: true, allowed: sizesOf(family), arbitrary: false },
    aspect_ratio: 'native',
    aspect_ratios: family.aspectRatios,
    resolution: 'native',
    resolutions: family.resolutions,
    reference_images: GEMINI_INPUTS,
    edit_images: GEMINI_INPUTS,
    masks: { ...GEMINI_INPUTS, support: 'emulated', max_count: 1 },
    source_transport: 'conversation_attachment',
    ...(typeof profile === 'object' ? profile : {}),
  });
}

type Resolution = NonNullable<Parameters['resolution']>;

/** The properties in which models differ. */
interface Family {
  readonly aspectRatios: readonly string[];
  readonly resolutions: readonly Resolution[];
}

/** Width and height of each ratio at 1K, in pixels (Gemini API, "Aspect ratios and image size"). */
const RATIO_EDGES: ReadonlyMap<string, readonly [width: number, height: number]> = new Map([
  ['1:1', [1024, 1024]],
  ['2:3', [848, 1264]],
  ['3:2', [1264, 848]],
  ['3:4', [896, 1200]],
  ['4:3', [1200, 896]],
  ['4:5', [928, 1152]],
  ['5:4', [1152, 928]],
  ['9:16', [768, 1376]],
  ['16:9', [1376, 768]],
  ['21:9', [1584, 672]],
  ['1:4', [512, 2048]],
  ['4:1', [2048, 512]],
  ['1:8', [384, 3072]],
  ['8:1', [3072, 384]],
]);

const SCALES: Readonly<Record<Resolution, number>> = { '1k': 1, '2k': 2, '4k': 4 };

const EXTREME_RATIOS = ['1:4', '4:1', '1:8', '8:1'];
const ALL_RATIOS = [...RATIO_EDGES.keys()];
const COMMON_RATIOS = ALL_RATIOS.filter((ratio) => !EXTREME_RATIOS.includes(ratio));
const ALL_RESOLUTIONS: readonly Resolution[] = ['1k', '2k', '4k'];

const DEFAULT_FAMILY: Family = { aspectRatios: ALL_RATIOS, resolutions: ALL_RESOLUTIONS };

/** Families by model name (Gemini API, "Image generation"). */
const FAMILIES: ReadonlyMap<string, Family> = new Map([
  ['gemini-nano-banana-2.1', DEFAULT_FAMILY],
  ['gemini-3-pro-image', { aspectRatios: COMMON_RATIOS, resolutions: ALL_RESOLUTIONS }],
  ['gemini-3.1-flash-lite-image', { aspectRatios: COMMON_RATIOS, resolutions: ['1k'] }],
]);

/** Returns the first family that one of these names has, by default `DEFAULT_FAMILY`. */
function familyOf(...names: readonly string[]): Family {
  return names.flatMap((name) => FAMILIES.get(name) ?? [])[0] ?? DEFAULT_FAMILY;
}

/** Returns the sizes of all images that a family can make, as `WxH`. */
function sizesOf({ aspectRatios, resolutions }: Family): readonly string[] {
  return resolutions.flatMap((resolution) =>
    aspectRatios.map((aspectRatio) => sizeOf(aspectRatio, resolution)),
  );
}

/** Returns the aspect ratio and resolution that produce this size, or undefined if no model supports the size. */
export function shapeOf(size: string) {
  return ALL_RESOLUTIONS.flatMap((resolution) =>
    ALL_RATIOS.map((aspectRatio) => ({ aspectRatio, resolution })),
  ).find((shape) => sizeOf(shape.aspectRatio, shape.resolution) === size);
}

/** Returns the ratio of the API that equals this ratio, such as `16:9` for `32:18`, or undefined if the API has no such ratio. */
export function listedRatio(ratio: string): string | undefined {
  return equalRatio(ratio, ALL_RATIOS);
}

function sizeOf(aspectRatio: string, resolution: Resolution): string {
  const [width, height] = RATIO_EDGES.get(aspectRatio) ?? [0, 0];
  const scale = SCALES[resolution];
  return `${width * scale}x${height * scale}`;
}
