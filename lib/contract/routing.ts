import * as v from 'valibot';
import { closedObject, nullable } from './closed-object.ts';
import { tokenOf } from './fields.ts';

const ProviderName = v.pipe(v.string(), v.minLength(1), v.maxLength(64));
const ModelName = v.pipe(v.string(), v.minLength(1), v.maxLength(128));

export const Routing = closedObject({
  provider: nullable(ProviderName),
  model: nullable(ModelName),
  fallbacks: v.optional(
    v.pipe(
      v.array(closedObject({ provider: ProviderName, model: v.optional(ModelName) })),
      v.maxLength(4),
    ),
    [],
  ),
  fallback_policy: v.optional(v.picklist(['on_unavailable', 'on_error']), 'on_unavailable'),
});

export const SessionKey = v.pipe(v.string(), v.regex(/^[A-Za-z0-9._:-]{1,128}$/));

export const Session = closedObject({
  mode: v.optional(v.picklist(['isolated', 'persistent', 'thread']), 'isolated'),
  key: v.optional(SessionKey),
  thread_id: v.optional(tokenOf(256)),
});

export const Policies = closedObject({
  compatibility: v.optional(v.picklist(['strict', 'normalize', 'best_effort']), 'strict'),
  negative_prompt: v.optional(v.picklist(['auto', 'native', 'merge', 'reject']), 'auto'),
  revised_prompt: v.optional(v.picklist(['include', 'omit', 'require']), 'include'),
  batch_execution: v.optional(v.picklist(['auto', 'sequential', 'parallel']), 'auto'),
});
export type Routing = v.InferOutput<typeof Routing>;
export type Session = v.InferOutput<typeof Session>;
export type Policies = v.InferOutput<typeof Policies>;
