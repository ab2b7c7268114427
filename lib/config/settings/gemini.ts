import { keyed, section } from '../values/field.ts';
import { BACKEND_RULES, backend, KEY_EXPECTED } from './backend.ts';
import { MODEL_RULES, models } from './models.ts';
import { ALL_AT_ONCE, outputs, retries } from './provider-limits.ts';

const FAMILIES = [
  'gemini-nano-banana-2.1',
  'gemini-3-pro-image',
  'gemini-3.1-flash-lite-image',
] as const;

/** The image models of the Gemini API. */
export const GEMINI = keyed(
  'own',
  section({
    ...backend({ default: 'https://generativelanguage.googleapis.com' }),
    ...models(FAMILIES, FAMILIES),
    ...outputs(ALL_AT_ONCE),
    ...retries(),
  }),
  [...MODEL_RULES, ...BACKEND_RULES, KEY_EXPECTED],
);
