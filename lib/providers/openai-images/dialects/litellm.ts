import { type Amount, amountOfNumber } from '../../../contract/reply/cost.ts';
import type { CallField, Dialect } from './dialect.ts';
import { OPENAI } from './openai.ts';

/**
 * LiteLLM's proxy fails when it streams an image, after the model has been charged (`image_endpoints` of the proxy). The proxy
 * does not document `complexity`.
 */
const NOT_OF_LITELLM: readonly CallField[] = ['stream', 'partial_images', 'complexity'];

export const LITELLM: Dialect = {
  ...OPENAI,
  displayName: 'LiteLLM',
  fields: OPENAI.fields.filter((field) => !NOT_OF_LITELLM.includes(field)),
  hides500: true,
  namesInMessage: ['ContentPolicyViolationError'],
  hasNameless404: true,
  costHeader: { name: 'x-litellm-response-cost', costOf },
};

/**
 * Reads a number of US dollars, such as `4.2e-05`. The proxy reports 0 for a model whose price it does not know. Returns undefined
 * if the price is unknown.
 */
function costOf(value: string): Amount | undefined {
  const amount = amountOfNumber(Number(value));
  return amount === 0n ? undefined : amount;
}
