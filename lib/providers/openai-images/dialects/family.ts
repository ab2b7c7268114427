import type { Parameters } from '../../../contract/request/parameters.ts';
import type { CapabilityDocument } from '../../../contract/resources/provider.ts';

type Sizes = CapabilityDocument['sizes'];
type Quality = CapabilityDocument['qualities'][number];

/** The properties in which the models of a dialect differ. */
export interface Family {
  readonly sizes: Sizes;
  /** Accepted aspect ratios. Absent if a model has only sizes. */
  readonly aspectRatios?: readonly string[];
  /** Accepted resolutions. Absent if the resolution cannot be chosen. */
  readonly resolutions?: readonly NonNullable<Parameters['resolution']>[];
  /** Selectable qualities. Only `auto` if the quality cannot be chosen. */
  readonly qualities: readonly Quality[];
  readonly hasNativeAlpha: boolean;
  readonly fidelities: readonly ('low' | 'high')[];
  /** Accepted complexities. Absent if a model has none. */
  readonly complexities?: readonly NonNullable<Parameters['complexity']>[];
  /** Maximum number of input images, if it is lower than the limit of the dialect. 0 if the model reads no images. */
  readonly maxImages?: number;
}

/** Diffusion models support any size in steps of their latent space. The best size depends on the model. */
const DIFFUSION_SIZES: Sizes = {
  auto: true,
  allowed: ['1024x1024', '1152x768', '768x1152', '1280x720', '720x1280', '512x512'],
  arbitrary: true,
  min_edge: 256,
  max_edge: 2048,
  edge_multiple: 16,
};

/** A model of a server that runs any diffusion model. */
export const DIFFUSION: Family = {
  sizes: DIFFUSION_SIZES,
  qualities: ['auto'],
  hasNativeAlpha: false,
  fidelities: [],
};
