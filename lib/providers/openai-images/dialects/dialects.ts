import { AZURE } from './azure.ts';
import type { Dialect, ImagesSettings } from './dialect.ts';
import { GENERIC } from './generic.ts';
import { LITELLM } from './litellm.ts';
import { LOCALAI } from './localai.ts';
import { OPENAI } from './openai.ts';
import { OPENROUTER } from './openrouter.ts';
import { SDCPP } from './sdcpp.ts';
import { SGLANG } from './sglang.ts';
import { TOGETHER } from './together.ts';
import { VLLM_OMNI } from './vllm-omni.ts';
import { XAI } from './xai.ts';

export const DIALECTS: Readonly<Record<ImagesSettings['dialect'], Dialect>> = {
  openai: OPENAI,
  azure: AZURE,
  litellm: LITELLM,
  openrouter: OPENROUTER,
  xai: XAI,
  together: TOGETHER,
  localai: LOCALAI,
  sdcpp: SDCPP,
  'vllm-omni': VLLM_OMNI,
  sglang: SGLANG,
  generic: GENERIC,
};
