import type { CapabilityDocument } from '../../../contract/resources/provider.ts';
import type { Dialect, JsonObject, SentImages } from './dialect.ts';
import type { Family } from './family.ts';

const SIZES: CapabilityDocument['sizes'] = {
  auto: true,
  allowed: ['1024x1024', '1152x768', '768x1152', '1344x768', '768x1344'],
  arbitrary: true,
  min_edge: 256,
  max_edge: 1440,
  edge_multiple: 16,
};

/** A model that reads no images. */
const FLUX_1: Family = {
  sizes: SIZES,
  qualities: ['auto'],
  hasNativeAlpha: false,
  fidelities: [],
  maxImages: 0,
};
const KONTEXT: Family = { ...FLUX_1, maxImages: 1 };
const FLUX_2: Family = { ...FLUX_1, sizes: { ...SIZES, max_edge: 2048 }, maxImages: 8 };

/** The families of Together's models (Together's page on image models, 2026-11). */
export const TOGETHER_FAMILIES = {
  'black-forest-labs/FLUX.1-schnell': FLUX_1,
  'black-forest-labs/FLUX.1.1-pro': FLUX_1,
  'black-forest-labs/FLUX.1-kontext-pro': KONTEXT,
  'black-forest-labs/FLUX.1-kontext-max': KONTEXT,
  'black-forest-labs/FLUX.2-dev': FLUX_2,
  'black-forest-labs/FLUX.2-flex': FLUX_2,
  'black-forest-labs/FLUX.2-pro': FLUX_2,
  'black-forest-labs/FLUX.2-max': FLUX_2,
} as const satisfies Record<string, Family>;

/** Together's image API. */
export const TOGETHER: Dialect = {
  displayName: 'Together AI',
  fields: ['n', 'width', 'height', 'seed', 'negative_prompt', 'output_format', 'response_format'],
  defaultFamily: FLUX_2,
  formats: ['png', 'jpeg'],
  keyHeader: 'authorization',
  edits: { route: 'generations', members: toImages },
  rejectsMasks: true,
  base64Format: 'base64',
  revisesPrompts: false,
  hasNameless404: true,
};

/** Kontext models read one image in `image_url`. All other models read a list. */
function toImages({ model, sources, others }: SentImages): JsonObject {
  const images = [...sources, ...others].map((image) => image.dataUrl());
  return /kontext/i.test(model) ? { image_url: images[0] } : { reference_images: images };
}
