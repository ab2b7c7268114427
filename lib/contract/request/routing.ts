import * as v from 'valibot';
import { closedObject, nullable } from '../schema/closed-object.ts';
import { documented, tokenOf } from '../schema/fields.ts';
import { coded } from '../schema/issues.ts';
import { limitedList, limitsOf } from '../schema/request-limits.ts';
import { ShortText, text } from '../schema/text.ts';

export const ProviderName = v.pipe(text({ maxLength: 64 }), v.minLength(1));
const EnabledProvider = v.pipe(
  ProviderName,
  v.rawCheck<string>(({ dataset, config, addIssue }) => {
    const enabled = limitsOf(config)?.providers;
    if (!dataset.typed || enabled === undefined || enabled.has(dataset.value)) return;
    addIssue({ message: coded('unknown_provider', 'must be an enabled provider') });
  }),
);
export const ModelName = v.pipe(text({ maxLength: 128 }), v.minLength(1));

/** One provider, and optionally one of its models. */
export const Route = closedObject({ provider: EnabledProvider, model: v.optional(ModelName) });

export const Routing = closedObject({
  provider: documented(nullable(EnabledProvider), 'A provider name from GET /v1/providers.'),
  model: documented(
    nullable(ModelName),
    'A model. Without a provider, the request goes to the default provider if it lists the model, else to the first provider by name that lists the model.',
  ),
  fallbacks: documented(
    v.optional(limitedList(Route, 4), []),
    'Alternative routes, tried in order. Only for isolated sessions.',
    { maxItems: 4 },
  ),
  fallback_policy: documented(
    v.optional(v.picklist(['on_unavailable', 'on_error']), 'on_unavailable'),
    'on_error also tries a fallback after a failure with a known outcome.',
  ),
});

export const SessionKey = v.pipe(ShortText, v.regex(/^[A-Za-z0-9._:-]{1,128}$/));

export const Session = closedObject({
  mode: documented(
    v.optional(v.picklist(['isolated', 'persistent', 'thread']), 'isolated'),
    'The memory of the provider: none (isolated), under a key that you choose (persistent), or in a thread that the provider named (thread).',
  ),
  key: documented(
    v.optional(SessionKey),
    'The session key. Required for persistent sessions, not allowed otherwise.',
  ),
  thread_id: documented(
    v.optional(tokenOf(256)),
    'The thread id. Required for thread sessions, not allowed otherwise.',
  ),
});

export const Policies = closedObject({
  compatibility: documented(
    v.optional(v.picklist(['strict', 'normalize', 'best_effort']), 'strict'),
    'The handling of values that the provider does not support: strict rejects them, normalize replaces them by the nearest supported value, and best_effort also drops them. Every change is reported.',
  ),
  negative_prompt: documented(
    v.optional(v.picklist(['auto', 'native', 'merge', 'reject']), 'auto'),
    'The transfer of the negative prompt: as a separate field (native) or as a part of the prompt (merge).',
  ),
  revised_prompt: documented(
    v.optional(v.picklist(['include', 'omit', 'require']), 'include'),
    'The handling of the prompt that the provider rewrote.',
  ),
  batch_execution: documented(
    v.optional(v.picklist(['auto', 'sequential', 'parallel']), 'auto'),
    'The order of the calls for several images; parallel requires an isolated session.',
  ),
});
export type Routing = v.InferOutput<typeof Routing>;
export type Session = v.InferOutput<typeof Session>;
export type Policies = v.InferOutput<typeof Policies>;
