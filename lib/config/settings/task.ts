import * as v from 'valibot';
import { choice, keyed, type Rule, type SettingsOf, section } from '../values/field.ts';
import { schemaMap, textList } from '../values/field-collections.ts';
import { REMOTE_HOST } from '../values/text-rules.ts';
import { GPT } from './openai-images.ts';
import {
  ALL_AT_ONCE,
  BACKEND_RULES,
  backend,
  catalogue,
  keyExpected,
  keysListed,
  MODEL_RULES,
  models,
  outputs,
  retries,
  sourceType,
} from './provider-fields.ts';

/** The models of Black Forest Labs (its OpenAPI document, 2026-05). */
const FLUX = [
  'flux-2-pro',
  'flux-2-max',
  'flux-2-flex',
  'flux-2-klein-4b',
  'flux-2-klein-9b',
  'flux-kontext-pro',
  'flux-kontext-max',
  'flux-pro-1.1',
  'flux-dev',
  'flux-pro-1.1-ultra',
  'flux-pro-1.0-fill',
] as const;

/** Inputs by name, which may be any JSON value. */
const Inputs = v.record(v.string(), v.unknown());

const INSTANCE = section({
  service: choice(['fal', 'replicate', 'bfl', 'relay'], {
    default: 'bfl',
    about:
      'Service that runs the tasks: "fal", "replicate", "bfl" for Black Forest Labs, or "relay" for a server that accepts the image requests of OpenAI at routes ending with `/async`.',
  }),
  ...backend({ default: '', unset: 'the address of the service; required for "relay"' }),
  // Relays pass on the models of OpenAI.
  ...models([...FLUX, ...GPT], FLUX),
  constants: schemaMap({
    schema: Inputs,
    expects: 'a table of models, each a table of inputs',
    about:
      'Inputs that are sent with every task of a model, such as `{ "flux-2-flex" = { steps = 40 } }`. An input replaces an input of the same name.',
  }),
  ...catalogue('the services "fal" and "replicate"'),
  result_hosts: textList({
    default: [],
    rule: REMOTE_HOST,
    about:
      'Additional hosts from which images may be fetched over https. The hosts of the service are always allowed.',
  }),
  ...outputs({
    default: ALL_AT_ONCE.default,
    auto: 'starts all outputs of a request at the same time, up to the number of tasks that the service runs for one account',
  }),
  ...sourceType(),
  ...retries(),
});
type Task = SettingsOf<typeof INSTANCE>;

const RULES: readonly Rule<Task>[] = [
  {
    field: 'base_url',
    with: ['service'],
    message: 'must be set: a relay has no default address',
    isBroken: ({ service, base_url }) => service === 'relay' && base_url === '',
  },
  {
    field: 'models',
    with: ['service'],
    message: 'must be set: only the service "bfl" has default models',
    isBroken: ({ service, models: listed }) =>
      service !== 'bfl' && listed === INSTANCE.entries.models.default,
  },
  ...MODEL_RULES,
  keysListed('constants', ({ constants }) => constants),
  ...BACKEND_RULES,
  keyExpected('service', ({ service }) => service !== 'relay'),
];

/** The settings of a provider for a service with tasks. */
export const TASK = keyed('own', INSTANCE, RULES);
