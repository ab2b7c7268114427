import { ALL_FORMATS, type Dialect } from './dialect.ts';
import { DIFFUSION } from './family.ts';

export const VLLM_OMNI: Dialect = {
  displayName: 'vLLM-Omni',
  fields: ['size', 'seed', 'negative_prompt', 'response_format', 'output_format'],
  defaultFamily: DIFFUSION,
  formats: ALL_FORMATS,
  keyHeader: 'authorization',
  edits: 'form',
  mask: { name: 'mask_image', form: 'white' },
  revisesPrompts: false,
  oneAtATime: true,
  hasNameless404: true,
};
