import * as v from 'valibot';
import { closedObject } from '../schema/closed-object.ts';
import { documented, MAX_PROMPT_BYTES, PromptText } from '../schema/fields.ts';
import { coded } from '../schema/issues.ts';
import { limitedList } from '../schema/request-limits.ts';
import { utf8Bytes } from '../schema/text.ts';
import { KnownInput } from './image-input.ts';
import { entriesWith, type PlanRequest } from './image-request.ts';
import { requestRules } from './image-request-rules.ts';
import { Route } from './routing.ts';

/** The maximum numbers of prompts and of routes in one plan. */
const MAX_PROMPTS = 24;
const MAX_ROUTES = 6;

const {
  prompt: _,
  routing: __,
  session: ___,
  idempotency_key: ____,
  ...sharedEntries
} = entriesWith(KnownInput);

/** The members of a request that each combination of prompt and route has. */
const SAME = {
  prompt: '',
  idempotency_key: null,
  routing: { provider: null, model: null, fallbacks: [], fallback_policy: 'on_unavailable' },
  session: { mode: 'isolated' },
} as const satisfies Partial<PlanRequest>;

/** The body of `POST /v1/plan/batch`: one request with each of the prompts, on each of the routes. */
export const PlanBatch = v.pipe(
  closedObject({
    ...sharedEntries,
    prompts: documented(
      v.pipe(limitedList(PromptText, MAX_PROMPTS), v.minLength(1)),
      'The prompts. Each prompt and `negative_prompt` together have at most 12288 bytes of UTF-8.',
      { minItems: 1, maxItems: MAX_PROMPTS },
    ),
    routes: documented(
      v.pipe(limitedList(Route, MAX_ROUTES), v.minLength(1)),
      'The models, each with its provider.',
      { minItems: 1, maxItems: MAX_ROUTES },
    ),
  }),
  v.transform((body) => ({ ...body, ...SAME })),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { prompts, negative_prompt: negative } = dataset.value;
    for (const [index, prompt] of prompts.entries()) {
      if (utf8Bytes(prompt) + utf8Bytes(negative ?? '') <= MAX_PROMPT_BYTES) continue;
      addIssue({
        message: coded(
          'invalid_value',
          `and negative_prompt together must be at most ${MAX_PROMPT_BYTES} bytes long`,
        ),
        path: [
          { type: 'object', origin: 'value', input: dataset.value, key: 'prompts', value: prompts },
          { type: 'array', origin: 'value', input: prompts, key: index, value: prompt },
        ],
      });
    }
  }),
  v.rawCheck((context) => requestRules(context)),
);
export type PlanBatch = v.InferOutput<typeof PlanBatch>;
