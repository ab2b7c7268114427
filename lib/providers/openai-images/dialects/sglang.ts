import type { Dialect } from './dialect.ts';
import { VLLM_OMNI } from './vllm-omni.ts';

const { mask: _, ...WITHOUT_MASK } = VLLM_OMNI;

export const SGLANG: Dialect = { ...WITHOUT_MASK, displayName: 'SGLang' };
