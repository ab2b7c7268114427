import { azure } from './azure.ts';
import type { Dialect } from './dialect.ts';
import { generic } from './generic.ts';
import { litellm } from './litellm.ts';
import { localai } from './localai.ts';
import { openai } from './openai.ts';
import { openrouter } from './openrouter.ts';
import { sdcpp } from './sdcpp.ts';
import { sglang } from './sglang.ts';
import { together } from './together.ts';
import { vllmOmni } from './vllm-omni.ts';
import { xai } from './xai.ts';

/** The dialects, by the value of the setting `dialect`. */
export const DIALECTS = {
  openai,
  azure,
  litellm,
  openrouter,
  xai,
  together,
  localai,
  sdcpp,
  'vllm-omni': vllmOmni,
  sglang,
  generic,
} as const satisfies Readonly<Record<string, Dialect>>;

export type DialectName = keyof typeof DIALECTS;
