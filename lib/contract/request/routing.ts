import * as v from 'valibot';
import { closedObject, nullable } from '../schema/closed-object.ts';
import { documented } from '../schema/documented.ts';
import { tokenOf } from '../schema/fields.ts';
import { coded } from '../schema/issues.ts';
import { limitedList } from '../schema/limited-list.ts';
import { limitsOf } from '../schema/request-limits.ts';
import { ShortText, text } from '../schema/text.ts';

export const ProviderName = v.pipe(text({ maxLength: 64 }), v.minLength(1));
const EnabledProvider = v.pipe(
  ProviderName,
  v.rawCheck<string>(({ dataset, config, addIssue }) => {
    const enabled = limitsOf(config)?.providers;
    if (!dataset.typed || enabled === undefined || enabled.has(dataset.value)) return;
    addIssue({ message: coded('unknown_provider', 'must be a registered provider') });
  }),
);
const ModelName = v.pipe(text({ maxLength: 128 }), v.minLength(1));

/** One provider to go to, and perhaps one of its models. */
export const Route = closedObject({ provider: EnabledProvider, model: v.optional(ModelName) });

export const Routing = closedObject({
  provider: documented(nullable(EnabledProvider), 'A name that GET /v1/providers lists.'),
  model: documented(
    nullable(ModelName),
    'Without a provider it goes to the default one, else to the first by name that lists it.',
  ),
  fallbacks: documented(
    v.optional(limitedList(Route, 4), []),
    'Where to go next, in order. For isolated sessions only.',
    { maxItems: 4 },
  ),
  fallback_policy: documented(
    v.optional(v.picklist(['on_unavailable', 'on_error']), 'on_unavailable'),
    'on_error also falls back after a failure whose outcome is known.',
  ),
});

export const SessionKey = v.pipe(ShortText, v.regex(/^[A-Za-z0-9._:-]{1,128}$/));

export const Session = closedObject({
  mode: documented(
    v.optional(v.picklist(['isolated', 'persistent', 'thread']), 'isolated'),
    'Whether the provider remembers: not at all, under a key of yours, or in a thread that it named.',
  ),
  key: documented(v.optional(SessionKey), 'With persistent, and only there.'),
  thread_id: documented(v.optional(tokenOf(256)), 'With thread, and only there.'),
});

export const Policies = closedObject({
  compatibility: documented(
    v.optional(v.picklist(['strict', 'normalize', 'best_effort']), 'strict'),
    'What a provider cannot do is refused, changed to the nearest thing, or also dropped; every change is reported.',
  ),
  negative_prompt: documented(
    v.optional(v.picklist(['auto', 'native', 'merge', 'reject']), 'auto'),
    'Whether it goes to the provider on its own or as a part of the prompt.',
  ),
  revised_prompt: documented(
    v.optional(v.picklist(['include', 'omit', 'require']), 'include'),
    'What to do with the prompt as the provider rewrote it.',
  ),
  batch_execution: documented(
    v.optional(v.picklist(['auto', 'sequential', 'parallel']), 'auto'),
    'How the calls for several images run; parallel needs an isolated session.',
  ),
});
export type Routing = v.InferOutput<typeof Routing>;
export type Session = v.InferOutput<typeof Session>;
export type Policies = v.InferOutput<typeof Policies>;
